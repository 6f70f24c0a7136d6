//===- LitmusTable.cpp - pairs written as text ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads data/*.litmus: kernels grouped by the sentence of the PTX ISA that they
// exercise, each with the lines that make it wrong. data/README.md has the
// format.
//
//===----------------------------------------------------------------------===//

#include "Litmus.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace tc::emu::test {

namespace {

using Words = std::vector<std::string>;

Words split(const std::string &text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;)
    words.push_back(word);
  return words;
}

std::string trim(const std::string &text) {
  size_t from = text.find_first_not_of(" \t");
  return from == std::string::npos
             ? ""
             : text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

std::string replaceAll(std::string text, const std::string &from,
                       const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// A line of a kernel. `mark` is '-' or '+' for a line that only the right or
/// only the wrong kernel of each variant in `variants` has, else 0.
struct Line {
  std::string text;
  char mark = 0;
  Words variants;
};

struct Wrong {
  std::string variant, edge;
  bool strict = false;
};

/// A kernel as the file has it, before its parameters are filled in.
struct Kernel {
  std::string name, section, rule;
  Words options;
  std::vector<std::pair<std::string, Words>> parameters;
  std::vector<Line> lines;
  std::vector<Wrong> wrongs;
};

/// Turns the lines of one kernel into PTX.
class Writer {
public:
  explicit Writer(bool clusters) : clusters(clusters) {}

  std::string write(const std::vector<std::string> &lines) {
    for (const std::string &line : lines)
      writeLine(line, split(line));
    endBlock();
    return text;
  }

private:
  static bool isSelector(const Words &words) {
    for (size_t i = 0; i < words.size(); i += 2)
      if ((words[i] != "thread" && words[i] != "warp" && words[i] != "cta") ||
          i + 1 == words.size())
        return false;
    return !words.empty();
  }

  void writeLine(const std::string &line, const Words &words) {
    if (words.empty())
      return;
    if (words[0] == "all") {
      endBlock();
    } else if (isSelector(words)) {
      beginBlock(words);
    } else if (words[0] == "wait") {
      // wait ADDRESS PARITY [SEMANTICS]: until the phase is complete.
      writeLoop(
          "mbarrier.try_wait.parity" + (words.size() > 3 ? words[3] : "") +
              ".shared::cta.b64 %p2, [" + words[1] + "], " + words[2] + ";\n",
          "@!%p2");
    } else if (words[0] == "spin") {
      // spin LOAD ADDRESS VALUE: until VALUE is there.
      writeLoop(words[1] + " %r61, " + words[2] + ";\nsetp.ne.u32 %p2, %r61, " +
                    words[3] + ";\n",
                "@%p2");
    } else {
      text += line + "\n";
    }
  }

  void writeLoop(const std::string &body, const std::string &guard) {
    std::string label = "LOOP" + std::to_string(labels++);
    text += label + ":\n" + body + guard + " bra " + label + ";\n";
  }

  void beginBlock(const Words &words) {
    endBlock();
    end = "END" + std::to_string(labels++);
    for (size_t i = 0; i < words.size(); i += 2) {
      std::string what = words[i] == "thread" ? "%r0" : "%r1";
      if (words[i] == "cta") {
        text += std::string("mov.u32 %r60, ") +
                (clusters ? "%cluster_ctarank" : "%ctaid.x") + ";\n";
        what = "%r60";
      }
      text += "setp.ne.u32 %p3, " + what + ", " + words[i + 1] +
              ";\n@%p3 bra " + end + ";\n";
    }
  }

  void endBlock() {
    if (!end.empty())
      text += end + ":\n";
    end.clear();
  }

  const bool clusters;
  std::string text, end;
  unsigned labels = 0;
};

class Reader {
public:
  explicit Reader(const std::filesystem::path &path) : path(path) {}

  void read(std::vector<Litmus> &out) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      ++number;
      if (!trim(line).empty() && trim(line)[0] != '#')
        readLine(line, out);
    }
    finish(out);
  }

private:
  void readLine(const std::string &raw, std::vector<Litmus> &out) {
    std::string line = trim(raw);
    Words words = split(line);
    std::string rest = trim(line.substr(words[0].size()));
    if (raw[0] != ' ') {
      if (words[0] == "kernel") {
        finish(out);
        kernel = {
            words[1], section, rule, Words(words.begin() + 2, words.end()),
            {},       {},      {}};
      } else if (words[0] == "section") {
        finish(out);
        section = rest;
        rule.clear();
      } else if (words[0] == "define") {
        defines["$" + words[1]] = trim(rest.substr(words[1].size()));
      } else if (words[0] == "rule") {
        finish(out);
        rule = rest;
      } else {
        ADD_FAILURE() << path << ":" << number << ": expected section, rule, "
                      << "define or kernel, got " << words[0];
      }
    } else if (words[0] == "for") {
      kernel.parameters.push_back(
          {words[1], Words(words.begin() + 3, words.end())});
    } else if (words[0] == "wrong" || words[0] == "strict") {
      // wrong VARIANT: EDGE; under strict alone: strict VARIANT: EDGE.
      size_t colon = rest.find(':');
      kernel.wrongs.push_back({trim(rest.substr(0, colon)),
                               trim(rest.substr(colon + 1)),
                               words[0] == "strict"});
    } else {
      kernel.lines.push_back(readCode(line));
    }
  }

  static Line readCode(std::string line) {
    Line result;
    if (size_t at = line.find(" #"); at != std::string::npos) {
      result.mark = line[at + 2];
      result.variants = split(line.substr(at + 3));
      line = trim(line.substr(0, at));
    }
    result.text = line;
    return result;
  }

  void finish(std::vector<Litmus> &out) {
    if (!kernel.name.empty())
      expand(kernel, 0, out);
    kernel = {};
  }

  /// Fills in parameter `index` and the ones after it.
  void expand(const Kernel &it, size_t index, std::vector<Litmus> &out) {
    if (index == it.parameters.size())
      return emit(it, out);
    const auto &[name, values] = it.parameters[index];
    const std::string hole = "{" + name + "}";
    for (const std::string &value : values) {
      // "-" is the empty text; "~" is a blank.
      std::string text = value == "-" ? "" : replaceAll(value, "~", " ");
      Kernel copy = it;
      for (Line &line : copy.lines)
        line.text = replaceAll(line.text, hole, text);
      for (Wrong &wrong : copy.wrongs)
        wrong.edge = replaceAll(wrong.edge, hole, text);
      for (std::string &option : copy.options)
        option = replaceAll(option, hole, text);
      copy.name += "/" + value;
      expand(copy, index + 1, out);
    }
  }

  void emit(const Kernel &it, std::vector<Litmus> &out) {
    Litmus litmus{it.name, Setup::Plain, 64, 1, 1, "", "", "", "", false, ""};
    litmus.section = it.section;
    litmus.rule = it.rule;
    for (const std::string &option : it.options) {
      size_t equals = option.find('=');
      std::string key = option.substr(0, equals);
      if (equals != std::string::npos)
        (key == "threads" ? litmus.threads
         : key == "grid"  ? litmus.grid
                          : litmus.cluster) =
            unsigned(std::stoul(option.substr(equals + 1)));
      else
        litmus.setup = key == "tensor"     ? Setup::Tensor
                       : key == "barriers" ? Setup::Barriers
                                           : Setup::Plain;
    }
    litmus.grid = std::max(litmus.grid, litmus.cluster);
    if (litmus.section.empty() || litmus.rule.empty() || it.wrongs.empty())
      ADD_FAILURE() << path << ": " << it.name
                    << " has no section, no rule or no wrong";
    litmus.body = write(it, litmus, "");
    for (const Wrong &wrong : it.wrongs) {
      Litmus pair = litmus;
      pair.name += ":" + wrong.variant;
      pair.edge = wrong.edge;
      pair.from = pair.body;
      pair.to = write(it, litmus, wrong.variant);
      if (pair.from == pair.to)
        ADD_FAILURE() << path << ": " << pair.name << " changes nothing";
      if (!wrong.strict)
        out.push_back(pair);
      pair.strict = true;
      pair.name += "@strict";
      out.push_back(pair);
    }
  }

  /// The right kernel where `variant` is empty.
  std::string write(const Kernel &it, const Litmus &litmus,
                    const std::string &variant) const {
    std::vector<std::string> lines;
    for (const Line &line : it.lines) {
      bool marked =
          std::count(line.variants.begin(), line.variants.end(), variant) != 0;
      if (line.mark == 0 || marked == (line.mark == '+'))
        lines.push_back(define(line.text));
    }
    return Writer(litmus.cluster > 1).write(lines);
  }

  std::string define(std::string text) const {
    // Longest first, so that no name is taken for the start of another.
    for (auto it = defines.rbegin(); it != defines.rend(); ++it)
      text = replaceAll(text, it->first, it->second);
    return text;
  }

  std::filesystem::path path;
  unsigned number = 0;
  std::string section, rule;
  std::map<std::string, std::string> defines;
  Kernel kernel;
};

} // namespace

std::vector<Litmus> tableLitmus() {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(TC_TEST_DATA))
    if (entry.path().extension() == ".litmus")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Litmus> all;
  for (const auto &file : files)
    Reader(file).read(all);
  return all;
}

} // namespace tc::emu::test
