// SPDX-License-Identifier: Apache-2.0
#include "simulate/svg.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace rampart::simulate {
namespace {

std::string attribute(const char* name, double value) {
  return std::string(" ") + name + "=\"" + svg_number(value) + "\"";
}

std::string spaced(std::string_view attributes) {
  return attributes.empty() ? "" : " " + std::string(attributes);
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        // Control characters are not XML, whatever a name contains.
        escaped += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return escaped;
}

std::string svg_number(double value) {
  char text[48] = {};
  std::snprintf(text, sizeof text, "%.2f", value);
  std::string trimmed = text;
  trimmed.erase(trimmed.find_last_not_of('0') + 1);
  if (trimmed.back() == '.') trimmed.pop_back();
  return trimmed == "-0" ? "0" : trimmed;
}

double text_width(std::string_view text, double font_size) {
  // Of DejaVu Sans, in thousandths of an em, from ' ' to '~'.
  static constexpr std::array<int, 95> kWidths = {
      318,  401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
      636,  636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
      1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
      603,  787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
      500,  613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
      635,  635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838};
  constexpr int kOther = 1000;
  int width = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= ' ' && byte <= '~';
    if (plain) width += kWidths[byte - size_t{' '}];
    if (!plain && (byte & 0xC0) != 0x80) width += kOther;  // not a byte inside a glyph
  }
  return font_size * width / 1000;
}

Svg::Svg(double width, double height, std::string_view title, std::string_view style) {
  const std::string size = svg_number(width) + " " + svg_number(height);
  out_ =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "viewBox=\"0 0 " +
      size + "\"" + attribute("width", width) + attribute("height", height) +
      " role=\"img\">\n<title>" + xml_escaped(title) + "</title>\n<style>" + std::string(style) +
      "</style>\n";
}

void Svg::open_group(std::string_view attributes) {
  out_ += "<g" + spaced(attributes) + ">\n";
}

void Svg::close_group() {
  out_ += "</g>\n";
}

void Svg::line(Point from, Point to, std::string_view css_class) {
  out_ += "<line" + attribute("x1", from.x) + attribute("y1", from.y) + attribute("x2", to.x) +
          attribute("y2", to.y) + " class=\"" + std::string(css_class) + "\"/>\n";
}

void Svg::rect(Point corner, double width, double height, std::string_view attributes) {
  out_ += "<rect" + attribute("x", corner.x) + attribute("y", corner.y) +
          attribute("width", width) + attribute("height", height) + spaced(attributes) + "/>\n";
}

void Svg::text(Point at, std::string_view content, std::string_view attributes) {
  out_ += "<text" + attribute("x", at.x) + attribute("y", at.y) + spaced(attributes) + ">" +
          xml_escaped(content) + "</text>\n";
}

void Svg::path(const std::vector<Point>& points, bool closed, std::string_view attributes) {
  if (points.empty()) return;
  std::string steps = "M" + svg_number(points[0].x) + " " + svg_number(points[0].y);
  for (size_t i = 1; i < points.size(); ++i) {
    const bool flat = points[i].y == points[i - 1].y;
    const bool upright = points[i].x == points[i - 1].x;
    if (flat && upright) continue;
    if (flat) {
      steps += "H" + svg_number(points[i].x);
    } else if (upright) {
      steps += "V" + svg_number(points[i].y);
    } else {
      steps += "L" + svg_number(points[i].x) + " " + svg_number(points[i].y);
    }
  }
  out_ += "<path d=\"" + steps + (closed ? "Z" : "") + "\"" + spaced(attributes) + "/>\n";
}

std::string Svg::finish() && {
  return std::move(out_) + "</svg>\n";
}

}  // namespace rampart::simulate
