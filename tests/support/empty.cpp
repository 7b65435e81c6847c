// Catch2 version 3 brings its own main; a static library still needs one source.
