// SPDX-License-Identifier: Apache-2.0
// Writes SVG. Coordinates are in pixels; text is text, so that it can be found and copied.
#ifndef RAMPART_TOOLS_SIMULATE_SVG_H_
#define RAMPART_TOOLS_SIMULATE_SVG_H_

#include <string>
#include <string_view>
#include <vector>

namespace rampart::simulate {

struct Point {
  double x = 0;
  double y = 0;
};

std::string xml_escaped(std::string_view text);
// At most two places, without trailing zeros: one way to write a number.
std::string svg_number(double value);

// How wide text of `font_size` px is in DejaVu Sans, the widest of the usual sans-serif faces.
double text_width(std::string_view text, double font_size);

class Svg {
 public:
  Svg(double width, double height, std::string_view title, std::string_view style);

  void open_group(std::string_view attributes);
  void close_group();
  void line(Point from, Point to, std::string_view css_class);
  void rect(Point corner, double width, double height, std::string_view attributes);
  void text(Point at, std::string_view content, std::string_view attributes);
  // A path through the points; closed ones are filled.
  void path(const std::vector<Point>& points, bool closed, std::string_view attributes);

  std::string finish() &&;

 private:
  std::string out_;
};

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_SVG_H_
