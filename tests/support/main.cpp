#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <ostream>
#include <sstream>
#include <string>

namespace {

/// Reports each test case as one line of the Test Anything Protocol, version 12.
class TapReporter : public doctest::IReporter {
  public:
    explicit TapReporter(const doctest::ContextOptions& options) : out_(*options.cout) {}

    void test_case_start(const doctest::TestCaseData& test) override {
        name_ = test.m_name;
        for (char& c : name_) {
            if (c == '#' || c == '\n') c = ' ';  // '#' would start a directive
        }
        complaints_.str("");
    }
    void log_assert(const doctest::AssertData& a) override {
        if (!a.m_failed) return;
        complaints_ << a.m_file << ':' << a.m_line << ": " << a.m_expr;
        if (a.m_threw) complaints_ << " threw: " << a.m_exception;
        complaints_ << "\nvalues: " << a.m_decomp << '\n';
        const int contexts = doctest::IReporter::get_num_active_contexts();
        for (int i = 0; i < contexts; ++i) {
            complaints_ << "with: ";
            doctest::IReporter::get_active_contexts()[i]->stringify(&complaints_);
            complaints_ << '\n';
        }
    }
    void log_message(const doctest::MessageData& m) override {
        complaints_ << m.m_file << ':' << m.m_line << ": " << m.m_string << '\n';
    }
    void test_case_exception(const doctest::TestCaseException& e) override {
        complaints_ << "exception: " << e.error_string << '\n';
    }
    void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
        out_ << (stats.testCaseSuccess ? "ok " : "not ok ") << ++count_ << " - " << name_ << '\n';
        for (std::string line; std::getline(complaints_, line);) out_ << "# " << line << '\n';
        complaints_.clear();
        out_.flush();
    }
    void test_run_end(const doctest::TestRunStats&) override { out_ << "1.." << count_ << std::endl; }

    void report_query(const doctest::QueryData&) override {}
    void test_run_start() override {}
    void test_case_reenter(const doctest::TestCaseData&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void test_case_skipped(const doctest::TestCaseData&) override {}

  private:
    std::ostream& out_;
    std::string name_;
    std::stringstream complaints_;
    int count_ = 0;
};

REGISTER_REPORTER("tap", 1, TapReporter);

}  // namespace
