/// A diagnosis in one sentence, in the words of the service.
#pragma once

#include <string>
#include <string_view>

#include "diagnosis.hpp"
#include "evidence.hpp"

namespace partsim {

/// After a name: "burns partition 8 of 10".
[[nodiscard]] std::string finding_text(Cause cause, const Evidence& evidence);

/// Which partition was at its limit and for how long, which key did it, what the others had left,
/// what the application lost. Ends in a full stop.
[[nodiscard]] std::string sentence_text(Cause cause, const RunResult& run,
                                        const Evidence& evidence);

/// "for 60 of 60 s"; "in 12 of 20 intervals of 4 s" where the series is coarser than seconds.
/// `bound` stands before the number.
[[nodiscard]] std::string time_text(const RunResult& run, const TimeAtLimit& time,
                                    std::string_view bound = {});

}  // namespace partsim
