#include "seamark/cli/app.h"

int main(int argc, char** argv) { return seamark::cli::run_app(argc, argv); }
