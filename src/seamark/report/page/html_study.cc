#include "seamark/report/page/html_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/report/build/exhibit_text.h"
#include "seamark/report/page/html_page.h"
#include "seamark/report/page/html_parts.h"
#include "seamark/report/page/html_text.h"
#include "seamark/report/render/number_text.h"

namespace seamark::report {

using analysis::Datum;
using analysis::Exhibit;
using analysis::FrameworkResult;
using analysis::FunctionResult;
using analysis::ResultSet;
using analysis::Study;
using analysis::StudyFunction;
using analysis::StudySide;
using analysis::TotalsResult;
using analysis::Unit;
using html::element;
using html::line;
using html::link;

namespace {

// Of STANDINGS in page/model.js.
constexpr int kNotPublished = 9;
constexpr std::size_t kShortTable = 30;  // longer ones are folded

// --- functions and the two devices that they were timed on

constexpr std::array kSides = {StudySide::kGpu, StudySide::kTpu};

struct FrameworkFunctions {
  std::string framework;
  std::vector<const StudyFunction*> functions;  // by name
};

// Those that have any.
std::vector<FrameworkFunctions> functions_by_framework(const Study& study) {
  std::vector<FrameworkFunctions> out;
  for (const analysis::StudyFramework& framework : study.frameworks()) {
    std::vector<const StudyFunction*> functions;
    for (const StudyFunction& one : study.functions()) {
      if (one.framework == framework.name) functions.push_back(&one);
    }
    std::stable_sort(functions.begin(), functions.end(), [](const StudyFunction* a, const StudyFunction* b) {
      return a->published_name < b->published_name;
    });
    if (!functions.empty()) out.push_back({framework.name, std::move(functions)});
  }
  return out;
}

// A sentence.
std::string unsaid(const Study& study) {
  const std::string text = study.not_published().empty() ? "what became of each function was not published"
                                                         : study.not_published();
  return upper(text.substr(0, 1)) + text.substr(1) + ".";
}

// The heads of the tables; page/matrix.js makes their rows of matrix_data().
std::string matrix_section(const Study& study) {
  std::string out =
      element("p", "legend",
              "<span class=\"key\"><i class=\"cell unsaid\">–</i>verdict not published</span>") +
      element("noscript", "",
              "<p>Scripts make these tables of the data in this page. Without scripts: the latencies stand "
              "in Tables 5 to 7.</p>");
  for (const auto& [framework, functions] : functions_by_framework(study)) {
    std::string head = "<th scope=\"col\" class=\"corner\">function</th>";
    for (const StudySide side : kSides) {
      const analysis::StudyDevice& device = study.main_device(side);
      head += fmt::format("<th scope=\"col\">{}{}</th>",
                          link(html::anchor('t', framework + "/" + device.key),
                               line(framework) + "/<wbr>" + line(device.key)),
                          html::level_tag(device.label, false));
    }
    out += element("h3", "", line(framework)) +
           html::table("matrix made", "Functions of " + framework, head, "");
  }
  return html::section("functions", "Functions and devices",
                       fmt::format("The mean latency that was published, and its ratio to that on the {}. {}",
                                   line(study.main_device(StudySide::kGpu).label), line(unsaid(study))),
                       out);
}

Value short_number(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return {};
  return parse_double(fmt::format("{:.4g}", *value)).value_or(0);
}

// What stands below its name.
Value remarks_of(const StudyFunction& one) {
  Value out = Value::Array{};
  if (one.status_today == "removed") {
    out.push("removed since");
  } else if (!one.name_today.empty() && one.name_today != one.published_name) {
    out.push("today " + one_line(one.name_today));
  }
  if (!one.gpu_s && !one.tpu_s) out.push("tested, no latency published");
  return out;
}

Value function_data(const StudyFunction& one, std::size_t framework) {
  const bool both = one.gpu_s && one.tpu_s && *one.gpu_s > 0;
  // CellStatus, level, category, flags, warm seconds, ratio.
  Value gpu = Value::Array{kNotPublished, -1, -1, 0, short_number(one.gpu_s)};
  Value tpu = Value::Array{kNotPublished,
                           -1,
                           -1,
                           0,
                           short_number(one.tpu_s),
                           both ? short_number(*one.tpu_s / *one.gpu_s) : Value()};
  const std::string shown = one_line(one.published_name);
  Value out;
  out.set("n", shown);
  if (html::anchor('f', shown) != html::anchor('f', one.published_name))
    out.set("a", html::anchor('f', one.published_name));
  out.set("f", static_cast<int>(framework));
  out.set("r", remarks_of(one));
  out.set("d", Value::Array{});
  out.set("c", Value::Array{std::move(gpu), std::move(tpu)});
  return out;
}

// What page/*.js reads: as html_data.cc writes it, without cases.
std::string matrix_data(const Study& study) {
  Value targets = Value::Array{};
  Value names = Value::Array{};
  Value functions = Value::Array{};
  for (const FrameworkFunctions& one : functions_by_framework(study)) {
    const std::size_t place = names.as_array().size();
    names.push(one_line(one.framework));
    for (const StudySide side : kSides) {
      const std::string name = one.framework + "/" + study.main_device(side).key;
      Value target;
      target.set("name", one_line(name));
      target.set("anchor", html::anchor('t', name));
      target.set("framework", static_cast<int>(place));
      target.set("baseline", side == StudySide::kTpu ? targets.as_array().back().string_or("name", "") : "");
      target.set("compiled", false);
      targets.push(std::move(target));
    }
    for (const StudyFunction* function : one.functions) functions.push(function_data(*function, place));
  }
  Value out;
  out.set("schema", "seamark-page/1");
  out.set("chunk", 1);
  out.set("no_cases", one_line("Published of it: the latencies above. " + unsaid(study)));
  out.set("frameworks", std::move(names));
  out.set("targets", std::move(targets));
  out.set("functions", std::move(functions));
  return html::data_element("seamark-index", dump_json(out));
}

// --- the other sections

std::string tiles(const Study& study) {
  std::string out;
  auto tile = [&](std::size_t value, const char* label) {
    out += fmt::format("<div><b>{}</b><span>{}</span></div>", count_text(static_cast<std::int64_t>(value)),
                       label);
  };
  const auto timed = std::count_if(study.functions().begin(), study.functions().end(),
                                   [](const StudyFunction& one) { return one.gpu_s || one.tpu_s; });
  std::size_t tested = 0;
  for (const analysis::StudyFramework& one : study.frameworks())
    tested += static_cast<std::size_t>(one.functions);
  tile(tested, "functions tested");
  tile(study.functions().size(), "known by name");
  tile(static_cast<std::size_t>(timed), "with published latencies");
  tile(study.frameworks().size(), "frameworks");
  tile(study.devices_timed().size(), "devices");
  return element("div", "tiles", out);
}

std::string header(const StudyPage& page, const RenderOptions& options) {
  return fmt::format(
      "<header>\n<p class=\"brand\">Seamark {}</p>\n<h1>{}</h1>\n<p class=\"facts\">A published study · {} · "
      "{}</p>\n"
      "<p class=\"banner\"><b>Not published</b> {}</p>\n{}\n</header>\n",
      line(options.tool_version), line(page.study.title()), line(page.study.devices()),
      line(page.study.source()), line(page.findings.verdict_reason), tiles(page.study));
}

std::string navigation(const StudyPage& page, bool charts, bool beyond) {
  return fmt::format(
      "<nav aria-label=\"Sections\"><a href=\"#overview\">Overview</a><a href=\"#functions\">Functions</a>{}"
      "<a href=\"#tables\">Tables</a>{}{}<a href=\"#targets\">Devices</a><a "
      "href=\"#notes\">Notes</a></nav>\n",
      charts ? "<a href=\"#charts\">Charts</a>" : "", beyond ? "<a href=\"#beyond\">Beyond</a>" : "",
      page.findings.contradictions.empty() ? "" : "<a href=\"#contradictions\">Contradictions</a>");
}

// Exhibits under a heading of their own, long ones folded and last.
std::string exhibits_text(const Section& heading, const std::vector<Exhibit>& exhibits) {
  std::string plain;
  std::string folded;
  for (const Exhibit& one : exhibits) {
    Section section = exhibit_section(one, true);
    section.id = html::anchor('x', one.id);
    section.folded = one.rows.size() > kShortTable;
    (section.folded ? folded : plain) += html_text(section);
  }
  return html_text(heading) + plain + folded;
}

// Mean times by test file on all devices: not of functions, so no part of the matrix.
std::vector<Exhibit> derived_times(const ResultSet& findings) {
  std::vector<Exhibit> out;
  for (const FrameworkResult& framework : findings.frameworks) {
    if (framework.raw.empty()) continue;
    const std::string title = framework.label + ": mean time per test file, derived";
    Exhibit one{"derived-" + framework.name,          title,
                {{"test", "test file", Unit::kText}}, {},
                {"times: " + findings.raw_note},      analysis::Chart::kNone};
    for (const analysis::DeviceResult& device : findings.devices) {
      one.columns.push_back({device.key + "_s", device.label, Unit::kSeconds});
    }
    for (const FunctionResult& test : framework.raw) {
      std::vector<Datum> row{Datum::of(test.name)};
      for (const std::optional<double>& seconds : test.times.front().seconds) {
        row.push_back(seconds ? Datum::of(Unit::kSeconds, *seconds)
                              : Datum::none(Unit::kSeconds, "no timing of it in the study's repository"));
      }
      one.rows.push_back(std::move(row));
    }
    out.push_back(std::move(one));
  }
  return out;
}

// On how many of these a device was timed.
std::int64_t timed_on(std::size_t device, const std::vector<FunctionResult>& functions) {
  return std::count_if(functions.begin(), functions.end(), [device](const FunctionResult& one) {
    return std::any_of(one.times.begin(), one.times.end(), [device](const analysis::TimesResult& times) {
      return times.seconds[device].has_value();
    });
  });
}

// A row per framework and device; links of the matrix lead to it.
Section devices(const ResultSet& findings) {
  TextTable table({{"target"},
                   {"device"},
                   {"framework"},
                   {"evidence"},
                   {"functions"},
                   {"as printed"},
                   {"latencies"},
                   {"derived"}});
  for (const FrameworkResult& framework : findings.frameworks) {
    for (std::size_t d = 0; d < findings.devices.size(); ++d) {
      const TotalsResult& totals = framework.totals[d];
      const auto published = timed_on(d, framework.functions);
      const auto derived = timed_on(d, framework.raw);
      const std::vector<std::int64_t>& percent = totals.printed_percent;
      table.add_row(
          {Cell::target_here(framework.name + "/" + findings.devices[d].key), findings.devices[d].label,
           framework.name + " " + join(framework.versions, " "),
           totals.counts ? totals.evidence : std::string(),
           totals.counts ? fmt::format("{} pass, {} in part, {} fail", totals.counts->pass,
                                       totals.counts->partial, totals.counts->fail)
                         : std::string("counts not published"),
           percent.size() == 3
               ? fmt::format("{}% pass, {}% in part, {}% fail", percent[0], percent[1], percent[2])
               : std::string(),
           published > 0 ? plural(published, "function") + " published" : std::string("not published"),
           derived > 0 ? "mean times of " + plural(derived, "test file") : std::string()});
    }
  }
  return {.id = "targets",
          .heading = "Devices",
          .note = "What was published of each framework on each device.",
          .blocks = {std::move(table)}};
}

Section notes(const StudyPage& page) {
  Remarks notes{{{"source", page.study.source()},
                 {"not published", page.findings.verdict_reason},
                 {"cases", page.study.cases()},
                 {"timing", page.study.timing()},
                 {"times", page.findings.time_note},
                 {"times on further devices", page.findings.raw_note}}};
  std::erase_if(notes.list, [](const Remark& one) { return one.text.empty(); });
  return {.id = "notes",
          .heading = "Notes",
          .note = "What limits the figures above.",
          .blocks = {std::move(notes)}};
}

}  // namespace

std::string render_study_html(const StudyPage& page, const RenderOptions& options) {
  html::PageParts parts = html::report_parts("Seamark: " + page.study.title());
  html::add_charts(page.charts, parts);
  const std::string charts = html::charts_section(page.charts, page.findings);
  std::vector<Exhibit> further = page.beyond;
  std::erase_if(further, [](const Exhibit& one) { return one.rows.empty(); });
  for (Exhibit& one : derived_times(page.findings)) further.push_back(std::move(one));
  const Section contradictions = contradiction_section(page.findings);
  Section overview = exhibit_section(page.headlines, true);
  overview.id = "overview";
  overview.heading = "What it says in sum";
  overview.note +=
      ". Each share is computed from the study's own data; where the study printed another number, that "
      "stands beside it.";

  std::string out = html::page_head(parts) + header(page, options);
  out += navigation(page, !charts.empty(), !further.empty()) + "<main>\n";
  out += html_text(overview) + matrix_section(page.study) + charts;
  out += exhibits_text({.id = "tables",
                        .heading = "Tables 1 to 8",
                        .note = "Computed from the study's data; what it printed instead stands beside.",
                        .blocks = {}},
                       page.tables);
  if (!further.empty()) {
    out +=
        exhibits_text({.id = "beyond",
                       .heading = "Beyond the study",
                       .note = "Tests and coefficients that it did not report, computed from its data, and "
                               "the times that Figures 3 and 7 rest on.",
                       .blocks = {}},
                      further);
  }
  if (!contradictions.blocks.empty()) out += html_text(contradictions);
  out += html_text(devices(page.findings)) + html_text(notes(page));
  out += fmt::format("</main>\n<footer>Made from what <code>{}</code> published.</footer>\n",
                     line(page.study.title()));
  return out + matrix_data(page.study) + html::scripts_of(parts) + "</body>\n</html>\n";
}

}  // namespace seamark::report
