// Apache Fory, where CMake finds its package.

#include "schema.h"

namespace peer {

std::vector<Implementation> fory_implementations(const Schema&) {
  std::vector<Implementation> all;
  all.push_back(Implementation{"fory-cpp", "", "not installed: CMake package fory", {}});
  return all;
}

}  // namespace peer
