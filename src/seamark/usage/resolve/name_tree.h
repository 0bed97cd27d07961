// Every qualified name that a scanner has met, as a tree of attributes: a chain of three costs three
// look-ups, and what a name means is asked once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/usage/resolve/tables.h"

namespace seamark::usage {

class NameTree {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;  // no name, or one of more than 200 bytes
  static constexpr std::size_t kMaxName = 200;

  struct Node {
    std::uint32_t framework = 0;
    std::uint32_t name = kNone;   // the node that counts for it; kNone: nothing does
    std::uint32_t gives = kNone;  // the type of an instance that its call gives
    bool known = true;            // false: the tier unknown
    std::uint32_t text = 0;       // in texts_
    std::uint32_t text_size = 0;
  };

  explicit NameTree(const Vocabulary::Tables& tables);  // borrowed

  [[nodiscard]] std::uint32_t root(std::uint32_t framework) const { return roots_[framework]; }
  // Of attributes: equal texts have equal numbers.
  std::uint32_t attribute(std::string_view text);
  std::uint32_t child(std::uint32_t parent, std::uint32_t attribute) {
    if (parent == kNone) return kNone;
    const std::uint64_t key = ((std::uint64_t{parent} + 1) << 32) | attribute;
    for (std::size_t at = hash(key);; ++at) {
      const Edge& edge = edges_[at & edge_mask_];
      if (edge.key == key) return edge.child;
      if (edge.key == 0) return add_child(parent, attribute, key);
    }
  }
  std::uint32_t child(std::uint32_t parent, std::string_view attribute_text) {
    return child(parent, attribute(attribute_text));
  }
  // "torch.nn.Linear"; its first part is a framework's root.
  std::uint32_t find(std::string_view qualified);

  // False: no name that ends so is a class or a factory.
  [[nodiscard]] bool may_give_instance(std::uint32_t attribute) const {
    return attribute_texts_[attribute].may_give_instance;
  }

  [[nodiscard]] const Node& node(std::uint32_t id) const { return nodes_[id]; }
  [[nodiscard]] std::string_view text(std::uint32_t id) const {
    return std::string_view(texts_).substr(nodes_[id].text, nodes_[id].text_size);
  }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

 private:
  struct Edge {
    std::uint64_t key = 0;  // parent + 1, attribute; 0: a free place
    std::uint32_t child = kNone;
  };
  struct AttributeText {
    std::uint32_t text = 0;
    std::uint32_t size = 0;
    bool may_give_instance = false;
  };
  // Of a text of up to 16 bytes, first and last say all.
  struct Attribute {
    std::uint64_t first = 0;  // 8 bytes
    std::uint64_t last = 0;   // 8 bytes
    std::uint32_t text = 0;
    std::uint32_t size = 0;
    std::uint32_t hash = 0;
    std::uint32_t number = kNone;  // kNone: a free place
  };

  static std::size_t hash(std::uint64_t key) {
    return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15u) >> 20);
  }
  std::uint32_t add_child(std::uint32_t parent, std::uint32_t attribute, std::uint64_t key);
  std::uint32_t add_node(std::uint32_t framework, std::string_view qualified);
  void add_edge(std::uint64_t key, std::uint32_t child);
  void understand(std::uint32_t id);

  const Vocabulary::Tables& tables_;
  std::vector<std::uint32_t> roots_;
  std::vector<Node> nodes_;
  std::string texts_;
  std::vector<Edge> edges_;
  std::size_t edge_mask_ = 0;
  std::size_t edge_count_ = 0;
  std::vector<Attribute> attributes_;
  std::vector<AttributeText> attribute_texts_;  // by number
  std::size_t attribute_mask_ = 0;
};

}  // namespace seamark::usage
