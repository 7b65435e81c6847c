/* Preloaded into the program: the call number FAIL_AT of those that can lose data fails, and
 * FAIL_LOG is created to say that it came to that. Standard error is left alone, because there a
 * failure has nowhere to be told. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static long calls;

static int fails(int error) {
  const char* at = getenv("FAIL_AT");
  const char* from = getenv("FAIL_FROM");
  if (at == NULL && from == NULL) {
    return 0;
  }
  ++calls;
  if ((at != NULL && calls == atol(at)) || (from != NULL && calls >= atol(from))) {
    const long fd = syscall(SYS_openat, AT_FDCWD, getenv("FAIL_LOG"), O_CREAT | O_WRONLY, 0600);
    if (fd >= 0) {
      syscall(SYS_close, fd);
    }
    errno = error;
    return 1;
  }
  return 0;
}

ssize_t write(int fd, const void* data, size_t size) {
  return fd != 2 && fails(ENOSPC) ? -1 : syscall(SYS_write, fd, data, size);
}

int fsync(int fd) {
  return fails(EIO) ? -1 : (int)syscall(SYS_fsync, fd);
}

int close(int fd) {
  /* The descriptor is gone even when closing reports an error. */
  const long result = syscall(SYS_close, fd);
  return fails(EIO) ? -1 : (int)result;
}

/* With FAIL_FROM the disk is full, which stops writing but not renaming. */
int rename(const char* from, const char* to) {
  return getenv("FAIL_FROM") == NULL && fails(EIO)
             ? -1
             : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat2(int from_fd, const char* from, int to_fd, const char* to, unsigned flags) {
  if (getenv("NO_EXCHANGE") != NULL) {
    errno = EINVAL;
    return -1;
  }
  return getenv("FAIL_FROM") == NULL && fails(EIO)
             ? -1
             : (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, flags);
}
