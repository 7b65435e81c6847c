#include "partsim/report/findings.hpp"

#include <utility>

#include "diagnosis.hpp"

namespace partsim {

std::string verdict_sentence(const StudyResult& study) {
  std::vector<Diagnosis> diagnoses;
  diagnoses.reserve(study.runs.size());
  for (const VariantResult& result : study.runs) {
    diagnoses.push_back(diagnose(result.run));
  }
  return verdict(study, diagnoses);
}

std::vector<VariantFindings> findings(const StudyResult& study) {
  std::vector<VariantFindings> all;
  all.reserve(study.runs.size());
  for (const VariantResult& result : study.runs) {
    Diagnosis diagnosis = diagnose(result.run);
    all.push_back({result.variant, diagnosis.severity, std::move(diagnosis.finding),
                   std::move(diagnosis.sentence), std::move(diagnosis.notes)});
  }
  return all;
}

}  // namespace partsim
