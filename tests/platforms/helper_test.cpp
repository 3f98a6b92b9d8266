#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "platforms/library.hpp"
#include "platforms/topology_text.hpp"
#include "sim/error.hpp"

using namespace forksim;

namespace fs = std::filesystem;

namespace {

/// A folder of its own for each test, gone afterwards.
class Folder {
  public:
    Folder() : path_(fs::temp_directory_path() / ("forksim-platforms-" + std::to_string(getpid()))) {
        fs::remove_all(path_);
        fs::create_directories(path_);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { fs::remove_all(path_); }

    fs::path write(const std::string& text, const std::string& name = "machine.xml") const {
        std::ofstream(path_ / name) << text;
        return path_ / name;
    }
    fs::path path() const { return path_; }

  private:
    fs::path path_;
};

PlatformShape two_sockets() {
    PlatformShape shape;
    shape.like = "milan";
    shape.sockets = 2;
    shape.cores = 16;
    shape.smt = 2;
    return shape;
}

/// The XML of two_sockets() with its first `old_text` replaced.
std::string with(const std::string& old_text, const std::string& new_text) {
    std::string xml = generate_platform_xml(two_sockets());
    const std::size_t at = xml.find(old_text);
    REQUIRE(at != std::string::npos);
    return xml.replace(at, old_text.size(), new_text);
}

/// What is said of a file with this text, without the folder; it must be one line that begins with the file.
std::string complaint(const std::string& xml) {
    const Folder folder;
    try {
        load_platform_file(folder.write(xml), FORKSIM_HELPER);
    } catch (const InputError& e) {
        const std::string text = e.what();
        CHECK(text.find('\n') == std::string::npos);
        CHECK(text.starts_with(folder.path().string() + "/machine.xml:"));
        return text.substr(folder.path().string().size() + 1);
    }
    return "";
}

}  // namespace

TEST_CASE("SimGrid reads each shipped file as the machine that its shape computes") {
    for (const PlatformShape& shape : shipped_shapes()) {
        CAPTURE(shape.name);
        const Topology read = load_platform_file(fs::path(FORKSIM_PLATFORMS) / (shape.name + ".xml"), FORKSIM_HELPER);
        CHECK(format_topology(read) == format_topology(topology_of_shape(shape)));
    }
}

TEST_CASE("the build's converted files are the shipped machines") {
    for (const PlatformShape& shape : shipped_shapes()) {
        CAPTURE(shape.name);
        REQUIRE(fs::exists(fs::path(FORKSIM_CONVERTED) / (shape.name + ".topology")));
        const auto found = find_platform(shape.name, FORKSIM_CONVERTED);
        REQUIRE(found.has_value());
        CHECK(format_topology(*found) == format_topology(topology_of_shape(shape)));
    }
}

TEST_CASE("SimGrid reads parametric machines as the shapes that they are") {
    std::vector<PlatformShape> shapes(5, two_sockets());
    shapes[0].numbering = Numbering::siblings_adjacent;
    shapes[1].virt = Virt::pv;
    shapes[1].cores = 20;  // caches of 7, 7 and 6 cores
    shapes[2].sockets = 4;
    shapes[2].llcs = 16;  // caches of one core each
    shapes[3] = PlatformShape{"odd.name_1", 3, 5, 1, 2, "xeon-8275cl", Numbering::cores_then_siblings, Virt::tas};
    shapes[4] = PlatformShape{"", 1, 1, 1, 0, "uniform", Numbering::cores_then_siblings, Virt::none};
    const Folder folder;
    for (const PlatformShape& shape : shapes) {
        const fs::path file = folder.write(generate_platform_xml(shape));
        CHECK(format_topology(load_platform_file(file, FORKSIM_HELPER)) == format_topology(topology_of_shape(shape)));
    }
}

TEST_CASE("a changed latency in a file is a changed latency of the machine") {
    const Folder folder;
    const Topology before = topology_of_shape(two_sockets());
    const Topology after = load_platform_file(folder.write(with("89.56ns\"", "94.56ns\"")), FORKSIM_HELPER);
    CHECK(after.between_llcs[3] == before.between_llcs[3] + Time{5000});
    CHECK(after.between_llcs[1] == before.between_llcs[1]);
    CHECK(after.to_memory[1] == before.to_memory[1] + Time{5000});
}

TEST_CASE("properties that are wrong are refused by name") {
    CHECK(complaint(with("id=\"virt\"", "id=\"vrit\"")) ==
          "machine.xml: unknown property 'vrit'; did you mean 'virt'?");
    CHECK(complaint(with("value=\"none\"", "value=\"kvm\"")) ==
          "machine.xml: property 'virt' is 'kvm', expected \"none\", \"tas\" or \"pv\"");
    CHECK(complaint(with("<prop id=\"llc_hit\" value=\"11.35ns\"/>", "")) ==
          "machine.xml: property 'llc_hit' is missing: a duration such as \"46.6ns\"");
    CHECK(complaint(with("<prop id=\"smt\" value=\"9.78ns\"/>", ""))
              .starts_with("machine.xml: property 'smt' is missing"));
    CHECK(complaint(with("value=\"0.62\"", "value=\"62%\"")) ==
          "machine.xml: property 'smt_speed_busy' is '62%', expected a fraction of the full speed such as \"0.62\"");
    CHECK(complaint(with("id=\"home_node\" value=\"0\"", "id=\"home_node\" value=\"2\"")) ==
          "machine.xml: home_node 2 is not one of the 2 sockets");
    CHECK(complaint(with("id=\"role\" value=\"memory\"", "id=\"role\" value=\"disk\"")) ==
          "machine.xml: host 'memory0': role is 'disk', expected 'memory' or 'cpu'");
}

TEST_CASE("machines that forksim cannot use are refused") {
    CHECK(complaint(with("<prop id=\"role\" value=\"memory\"/>", "")) ==
          "machine.xml: socket 'socket0' has no memory host: a host with the property role=\"memory\"");
    CHECK(complaint(with("radical=\"0-7\"", "radical=\"100-2200\"")) == "machine.xml: 4250 CPUs are more than 4096");
    CHECK(complaint(with("core=\"2\"", "core=\"4\"")) ==
          "machine.xml: host 'core0' has core=\"4\"; a host is one core of 1 or 2 threads");
    CHECK(complaint(with("latency=\"89.56ns\"", "latency=\"-1ns\"")) ==
          "machine.xml: link 'wire0-1': negative latency");
    CHECK(complaint(with("lat=\"11.345ns\"", "lat=\"0ns\"")) ==
          "machine.xml: no latency between 'core0' and 'core1'; links of 0 ps are for uniform-N only");
    CHECK(complaint(with("lat=\"11.345ns\"", "lat=\"2s\"")) ==
          "machine.xml: a latency of more than 1 s between 'core0' and 'core1'");
    CHECK(complaint(with("zone id=\"milan-2s-16c-smt\"", "zone id=\"my machine\"")) ==
          "machine.xml: no name of a machine (letters, digits, '.', '_' and '-' only): my machine");
    CHECK(complaint("<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                    "<platform version=\"4.1\"><zone id=\"a\" routing=\"Full\"><prop id=\"coherence\" value=\"home\"/>"
                    "<prop id=\"llc_hit\" value=\"1ns\"/></zone></platform>\n") ==
          "machine.xml: no socket: the outermost zone holds no zones");
}

TEST_CASE("what SimGrid refuses is told in one line, with the line of the file where it knows it") {
    CHECK(complaint("").starts_with("machine.xml:1: Invalid XML"));
    CHECK(complaint(std::string("\x7f\x45\x4c\x46\x00\x01", 6)).starts_with("machine.xml:1: Invalid XML"));
    CHECK(complaint(with("</platform>", "")).starts_with("machine.xml:45: Invalid XML"));
    CHECK(complaint(with(" lat=\"11.345ns\"", "")).starts_with("machine.xml:23: Invalid XML"));
    CHECK(complaint(with("lat=\"11.345ns\"", "lat=\"fast\"")) == "machine.xml:23: cannot parse number:fast");
    CHECK(complaint(with("link_ctn id=\"bus0\"", "link_ctn id=\"tram\"")) == "machine.xml: Link not found: tram");
    CHECK(complaint(with("radical=\"8-15\"", "radical=\"0-7\"")) ==
          "machine.xml: Refusing to create a second host named 'core0'.");
    CHECK_FALSE(complaint(with("gw_src=\"gate0\"", "gw_src=\"door\"")).empty());
    CHECK_FALSE(complaint(with("<link_ctn id=\"wire0-1\"/>", "")).empty());
    CHECK_FALSE(complaint(with("version=\"4.1\"", "version=\"99\"")).empty());
}

TEST_CASE("where SimGrid aborts or crashes on a file, the complaint is an input error all the same") {
    CHECK(complaint(with("routing=\"Floyd\"", "routing=\"Bogus\"")) ==
          "machine.xml: SimGrid gives up on it: Not a valid model!");
    CHECK(complaint(with("core=\"2\"", "core=\"-1\"")).starts_with("machine.xml: SimGrid gives up on it: "));
    CHECK(complaint("<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                    "<platform version=\"4.1\"></platform>\n")
              .starts_with("machine.xml: SimGrid gives up on it: "));
}

TEST_CASE("a platform file that is missing, a directory or without .xml is refused") {
    const Folder folder;
    const auto load = [&](const char* name) { load_platform_file(folder.path() / name, FORKSIM_HELPER); };
    const std::string at = folder.path().string() + '/';
    CHECK_THROWS_WITH_AS(load("none.xml"), (at + "none.xml: no such file").c_str(), InputError);
    fs::create_directory(folder.path() / "dir.xml");
    CHECK_THROWS_WITH_AS(load("dir.xml"), (at + "dir.xml: is a directory").c_str(), InputError);
    folder.write("x", "a.txt");
    CHECK_THROWS_WITH_AS(load("a.txt"), (at + "a.txt: a platform file is called NAME.xml").c_str(), InputError);
}

TEST_CASE("a platform file that never ends is given up after the limit") {
    const Folder folder;
    const fs::path fifo = folder.path() / "fifo.xml";
    REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
    CHECK_THROWS_WITH_AS(load_platform_file(fifo, FORKSIM_HELPER, std::chrono::milliseconds(200)),
                         (fifo.string() + ": not read within 200 ms, or far too large").c_str(), InputError);
}

TEST_CASE("a helper that is missing or answers nonsense is an error, not a machine") {
    const Folder folder;
    const fs::path file = folder.write(generate_platform_xml(two_sockets()));
    CHECK_THROWS_AS(load_platform_file(file, folder.path() / "no-helper"), InputError);
    CHECK_THROWS_WITH_AS(
        load_platform_file(file, "/bin/echo"),
        (file.string() + ": the helper's answer is wrong, line 1: expected 'forksim-topology 1'").c_str(), InputError);
}

TEST_CASE("a converted file with an error is refused with its name and line") {
    const Folder folder;
    const fs::path file = folder.write("forksim-topology 1\nname\n", "xeon-1s-20c.topology");
    CHECK_THROWS_WITH_AS(find_platform("xeon-1s-20c", folder.path()),
                         (file.string() + ": line 2: expected a name").c_str(), InputError);
}
