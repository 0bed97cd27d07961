#include "seamark/usage/resolve/name_tree.h"

#include <algorithm>
#include <cstring>

namespace seamark::usage {

namespace {

std::uint64_t load(std::string_view text, std::size_t at) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, text.data() + at, sizeof bytes);
  return bytes;
}

// Of fewer than 8 bytes: each of them at a place that the size tells.
std::uint64_t load_short(std::string_view text) {
  const auto at = [&text](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(text[i])}; };
  if (text.size() >= 4) {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::memcpy(&first, text.data(), 4);
    std::memcpy(&last, text.data() + text.size() - 4, 4);
    return (std::uint64_t{last} << 32) | first;
  }
  if (text.empty()) return 0;
  return at(0) | at(text.size() / 2) << 8 | at(text.size() - 1) << 16;
}

struct Ends {
  std::uint64_t first;
  std::uint64_t last;

  explicit Ends(std::string_view text)
      : first(text.size() >= 8 ? load(text, 0) : load_short(text)),
        last(text.size() >= 8 ? load(text, text.size() - 8) : 0) {}

  [[nodiscard]] std::uint32_t hash(std::size_t size) const {
    std::uint64_t mixed = (first ^ (std::uint64_t{size} << 56)) * 0xd6e8feb86659fd93u;
    mixed = (mixed ^ (mixed >> 32) ^ last) * 0xd6e8feb86659fd93u;
    return static_cast<std::uint32_t>(mixed >> 32);
  }
};

}  // namespace

NameTree::NameTree(const Vocabulary::Tables& tables)
    : tables_(tables),
      edges_(1u << 12),
      edge_mask_(edges_.size() - 1),
      attributes_(1u << 12),
      attribute_mask_(attributes_.size() - 1) {
  for (std::uint32_t i = 0; i < tables.frameworks().size(); ++i) {
    roots_.push_back(add_node(i, tables.frameworks()[i].root));
  }
  for (const std::uint32_t root : roots_) understand(root);
}

std::uint32_t NameTree::attribute(std::string_view text) {
  const Ends ends(text);
  const std::uint32_t hash = ends.hash(text.size());
  std::size_t at = hash & attribute_mask_;
  for (; attributes_[at].number != kNone; at = (at + 1) & attribute_mask_) {
    const Attribute& one = attributes_[at];
    if (one.first != ends.first || one.last != ends.last || one.size != text.size()) continue;
    if (text.size() <= 16 || std::string_view(texts_).substr(one.text, one.size) == text) return one.number;
  }
  if (attribute_texts_.size() * 2 >= attributes_.size()) {
    std::vector<Attribute> old(attributes_.size() * 2);
    old.swap(attributes_);
    attribute_mask_ = attributes_.size() - 1;
    for (const Attribute& one : old) {
      if (one.number == kNone) continue;
      std::size_t place = one.hash & attribute_mask_;
      while (attributes_[place].number != kNone) place = (place + 1) & attribute_mask_;
      attributes_[place] = one;
    }
    return attribute(text);
  }
  const auto number = static_cast<std::uint32_t>(attribute_texts_.size());
  const auto place = static_cast<std::uint32_t>(texts_.size());
  const auto size = static_cast<std::uint32_t>(text.size());
  texts_.append(text);
  attribute_texts_.push_back(
      {.text = place, .size = size, .may_give_instance = tables_.may_give_instance(text)});
  attributes_[at] = {
      .first = ends.first, .last = ends.last, .text = place, .size = size, .hash = hash, .number = number};
  return number;
}

std::uint32_t NameTree::add_node(std::uint32_t framework, std::string_view qualified) {
  const auto id = static_cast<std::uint32_t>(nodes_.size());
  Node& node = nodes_.emplace_back();
  node.framework = framework;
  node.text = static_cast<std::uint32_t>(texts_.size());
  node.text_size = static_cast<std::uint32_t>(qualified.size());
  texts_.append(qualified);
  return id;
}

void NameTree::add_edge(std::uint64_t key, std::uint32_t child) {
  if (edge_count_ * 2 >= edges_.size()) {
    std::vector<Edge> old(edges_.size() * 2);
    old.swap(edges_);
    edge_mask_ = edges_.size() - 1;
    edge_count_ = 0;
    for (const Edge& edge : old) {
      if (edge.key != 0) add_edge(edge.key, edge.child);
    }
  }
  std::size_t at = hash(key);
  while (edges_[at & edge_mask_].key != 0) ++at;
  edges_[at & edge_mask_] = {.key = key, .child = child};
  ++edge_count_;
}

std::uint32_t NameTree::add_child(std::uint32_t parent, std::uint32_t attribute, std::uint64_t key) {
  const std::uint32_t place = attribute_texts_[attribute].text;
  const std::uint32_t size = attribute_texts_[attribute].size;
  if (nodes_[parent].text_size + 1 + size > kMaxName) return kNone;
  std::string qualified(text(parent));
  qualified += '.';
  qualified.append(texts_, place, size);
  if (const std::string_view same = tables_.same_as(nodes_[parent].framework, qualified); !same.empty()) {
    const std::uint32_t other = find(same);
    add_edge(key, other);
    return other;
  }
  const std::uint32_t id = add_node(nodes_[parent].framework, qualified);
  add_edge(key, id);
  understand(id);
  return id;
}

std::uint32_t NameTree::find(std::string_view qualified) {
  const std::size_t dot = qualified.find('.');
  const std::string_view first = qualified.substr(0, dot);
  const auto root =
      std::find_if(roots_.begin(), roots_.end(), [&](std::uint32_t id) { return text(id) == first; });
  std::uint32_t id = root == roots_.end() ? kNone : *root;
  for (std::size_t at = dot; at != std::string_view::npos && id != kNone;) {
    const std::size_t next = qualified.find('.', at + 1);
    id = child(id, qualified.substr(at + 1, next == std::string_view::npos ? next : next - at - 1));
    at = next;
  }
  return id;
}

// The canonical name and the type are nodes of their own, so that this comes back to itself: at most twice,
// as a canonical name is its own.
void NameTree::understand(std::uint32_t id) {
  const Meaning meaning = tables_.meaning(nodes_[id].framework, text(id));
  nodes_[id].known = meaning.kind != Meaning::Kind::kUnknown;
  if (meaning.kind == Meaning::Kind::kKnown && meaning.canonical != text(id)) {
    const std::uint32_t canonical = find(meaning.canonical);
    nodes_[id].name = canonical;
  } else if (meaning.kind != Meaning::Kind::kModule) {
    nodes_[id].name = id;
  }
  if (!meaning.gives.empty()) {
    const std::uint32_t gives = meaning.gives == text(id) ? id : find(meaning.gives);
    nodes_[id].gives = gives;
  } else if (meaning.is_class) {
    nodes_[id].gives = nodes_[id].name;
  }
}

}  // namespace seamark::usage
