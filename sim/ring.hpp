#pragma once
#include <cstdint>
#include <vector>

#include "sim/check.hpp"

namespace forksim {

/// First in, first out, in a circular buffer that grows to the largest number of entries ever in it.
template <class T>
class Ring {
  public:
    bool empty() const { return size_ == 0; }
    std::uint32_t size() const { return size_; }

    void push(const T& value) {
        if (size_ == buffer_.size()) grow();
        buffer_[(first_ + size_++) & mask()] = value;
    }
    /// REQUIRES !empty(), as does pop().
    const T& front() const { return buffer_[first_]; }
    T pop() {
        FORKSIM_CHECK(size_ > 0, "nothing queued");
        const T value = buffer_[first_];
        first_ = (first_ + 1) & mask();
        --size_;
        return value;
    }

  private:
    std::uint32_t mask() const { return static_cast<std::uint32_t>(buffer_.size()) - 1; }
    void grow() {
        std::vector<T> larger(buffer_.empty() ? 4 : 2 * buffer_.size());
        for (std::uint32_t i = 0; i < size_; ++i) larger[i] = buffer_[(first_ + i) & mask()];
        buffer_.swap(larger);
        first_ = 0;
    }

    std::uint32_t first_ = 0;
    std::uint32_t size_ = 0;
    std::vector<T> buffer_;  // its size is zero or a power of two
};

}  // namespace forksim
