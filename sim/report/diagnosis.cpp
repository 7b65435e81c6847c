#include "diagnosis.hpp"

#include <algorithm>
#include <utility>

#include "diagnosis_text.hpp"
#include "evidence.hpp"
#include "notes.hpp"

namespace partsim {
namespace {

Cause find_cause(const RunResult& run, const Evidence& evidence) {
  if (evidence.hottest == nullptr || run.total().attempts == 0) {
    return Cause::idle;
  }
  // judged by the worst partition: one that burns must not hide in an average
  if (evidence.worst_throttled < kHealthyFrom) {
    if (evidence.worst_retired >= kHealthyFrom) {
      return Cause::outgrown;
    }
    return evidence.waits.queue > evidence.waits.service ? Cause::queueing : Cause::calm;
  }
  // refusals while every whole second left RU/s over: not the budget, or a window of less than one
  if (evidence.peak < kFullSecond) {
    return evidence.waits.queue > 0 ? Cause::queueing : Cause::bursts;
  }
  // where every partition is full no other key would find room
  if ((evidence.burning == evidence.partitions && evidence.demand > 1.0) ||
      evidence.container_demand > 0) {
    return Cause::overload;
  }
  const bool others_idle = evidence.partitions > 1 && evidence.others_used <= kIdleOthers &&
                           evidence.imbalance >= kEvenImbalance;
  if (others_idle || evidence.imbalance >= kHotImbalance) {
    return Cause::hot_partition;
  }
  if (evidence.worst_throttled <= kHealthyTo && evidence.imbalance < kEvenImbalance) {
    return Cause::healthy;
  }
  if (evidence.demand > 1.0) {
    return Cause::overload;
  }
  return evidence.imbalance > 1.1 ? Cause::uneven : Cause::bursts;
}

Severity severity_of(Cause cause, const Evidence& evidence) {
  switch (cause) {
    case Cause::calm:
    case Cause::healthy:
      return Severity::good;
    case Cause::idle:
    case Cause::outgrown:
      return Severity::warning;
    case Cause::hot_partition:
    case Cause::overload:
    case Cause::uneven:
    case Cause::bursts:
    case Cause::queueing:
      break;
  }
  return evidence.worst_throttled > kHealthyTo ? Severity::bad : Severity::warning;
}

}  // namespace

Diagnosis diagnose(const RunResult& run) {
  const Evidence evidence = gather_evidence(run);
  Diagnosis diagnosis;
  diagnosis.cause = find_cause(run, evidence);
  diagnosis.severity = severity_of(diagnosis.cause, evidence);
  diagnosis.finding = finding_text(diagnosis.cause, evidence);
  diagnosis.sentence = sentence_text(diagnosis.cause, run, evidence);
  diagnosis.needs_another_key =
      diagnosis.cause == Cause::hot_partition || diagnosis.cause == Cause::uneven;
  const ClientResult total = run.total();
  // most of what fails would fail at any throughput
  const bool lost_for_good = 2 * (total.forbidden + total.refused) > total.operations.failed &&
                             total.operations.failed > 0;
  for (Note& note : notes_on(run)) {
    // what a variant suffers beside 429s must not be lost behind "holds"
    const bool decides = note.severity > diagnosis.severity ||
                         (note.severity == Severity::bad && lost_for_good && !diagnosis.by_note);
    if (decides && !note.finding.empty()) {
      diagnosis.by_note = true;
      diagnosis.finding = std::move(note.finding);
      std::swap(diagnosis.sentence, note.sentence);
    }
    diagnosis.needs_another_key = diagnosis.needs_another_key || note.needs_another_key;
    diagnosis.severity = std::max(diagnosis.severity, note.severity);
    diagnosis.notes.push_back(std::move(note.sentence));
  }
  return diagnosis;
}

}  // namespace partsim
