// What the verbs that write a text or a file share: how it is to look, and what the file's name says.
#pragma once

#include <initializer_list>
#include <string>

#include "seamark/base/result.h"
#include "seamark/cli/context.h"
#include "seamark/model/format.h"
#include "seamark/report/render/render_options.h"

namespace seamark::cli {

// "" and "-" are standard output.
bool is_file(const std::string& output);
// A file is 100 columns wide, without colour; standard output is what it is.
report::RenderOptions render_options(const Context& context, const std::string& output = {});
// kUsage where HTML would go to a terminal.
Status no_page_on_terminal(const Context& context, const std::string& output);
// What a verb writes: what --format asks for, else what the name of the output ends with, else the first of
// its `formats`. kUsage, with their names, where that is a format, and none of them.
Result<Format> choose_format(const std::string& asked, const std::string& output, const Formats& formats);
// The same, with a page refused where it would go to a terminal.
Result<Format> format_for(const Context& context, const std::string& asked, const std::string& output,
                          const Formats& formats);
// "csv" of "OUT.CSV"; empty where the name has no ending.
std::string ending_of(const std::string& output);

}  // namespace seamark::cli
