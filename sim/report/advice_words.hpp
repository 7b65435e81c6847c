/// A judgement in words.
#pragma once

#include <string>
#include <string_view>

#include "partsim/study/advise.hpp"

#include "table.hpp"

namespace partsim {

[[nodiscard]] std::string_view grade_letter(Grade grade) noexcept;
[[nodiscard]] Tone grade_tone(Grade grade) noexcept;
/// As in the JSON: throttled, failed, p99_ms, ...
[[nodiscard]] std::string_view criterion_name(Criterion criterion) noexcept;
/// As in a scenario: read, query, ...
[[nodiscard]] std::string_view operation_name(OperationKind kind) noexcept;

/// "78 % of attempts throttled (429)".
[[nodiscard]] std::string criterion_words(const CriterionGrade& criterion, const KeyJudgement& key,
                                          const KeyAdvice& advice);
/// "20 GB in 6 days (2018-08-15)", "never 20 GB: a key takes writes for one day".
[[nodiscard]] std::string storage_words(const KeyJudgement& key, const KeyAdvice& advice);
/// How many key values there are, the heaviest, and what moves with the clock.
[[nodiscard]] std::string value_words(const KeyJudgement& key);
/// What each operation that is no create visits and costs.
[[nodiscard]] std::string operation_words(const KeyJudgement& key);
/// What one transaction can write, if the scenario has none.
[[nodiscard]] std::string transaction_words(const KeyJudgement& key);
/// "reads stay on one partition".
[[nodiscard]] std::string reader_words(const KeyJudgement& key);

}  // namespace partsim
