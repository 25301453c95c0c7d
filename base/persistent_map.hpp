// A sorted map whose copies share the nodes that they have in common. Copying costs nothing; setting or erasing a key
// makes new nodes on the path to it, and every copy stays as it was. An entry keeps its address as long as some map
// holds it.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

namespace tessera::base {

template <class Key, class Value>
class PersistentMap {
 public:
  struct Entry {
    Key key;
    Value value;
  };

  bool empty() const { return root_ == nullptr; }

  const Value* find(const Key& key) const {
    const Node* at = root_.get();
    while (at != nullptr && at->entry->key != key) at = (key < at->entry->key ? at->left : at->right).get();
    return at == nullptr ? nullptr : &at->entry->value;
  }

  // The entry with the greatest key below this one; null without any.
  const Entry* last_before(const Key& key) const {
    const Entry* last = nullptr;
    const Node* at = root_.get();
    while (at != nullptr) {
      const bool before = at->entry->key < key;
      if (before) last = at->entry.get();
      at = (before ? at->right : at->left).get();
    }
    return last;
  }

  void set(Key key, Value value) {
    root_ = with(root_, std::make_shared<const Entry>(Entry{std::move(key), std::move(value)}));
  }

  void erase(const Key& key) {
    if (find(key) != nullptr) root_ = without(root_, key);
  }

  // Calls `visit` with every entry, in the order of their keys.
  template <class Visit>
  void for_each(const Visit& visit) const {
    walk(root_.get(), visit);
  }

 private:
  struct Node;
  using EntryRef = std::shared_ptr<const Entry>;
  using NodeRef = std::shared_ptr<const Node>;

  // The heights of the two sides differ by at most one.
  struct Node {
    EntryRef entry;
    NodeRef left;
    NodeRef right;
    int height;
  };

  static int height(const NodeRef& node) { return node == nullptr ? 0 : node->height; }

  static NodeRef join(const NodeRef& left, const EntryRef& entry, const NodeRef& right) {
    return std::make_shared<const Node>(Node{entry, left, right, 1 + std::max(height(left), height(right))});
  }

  // Joins two sides whose heights differ by at most two.
  static NodeRef balanced(const NodeRef& left, const EntryRef& entry, const NodeRef& right) {
    if (height(left) > height(right) + 1) {
      if (height(left->left) >= height(left->right))
        return join(left->left, left->entry, join(left->right, entry, right));
      const Node& middle = *left->right;
      return join(join(left->left, left->entry, middle.left), middle.entry, join(middle.right, entry, right));
    }
    if (height(right) > height(left) + 1) {
      if (height(right->right) >= height(right->left))
        return join(join(left, entry, right->left), right->entry, right->right);
      const Node& middle = *right->left;
      return join(join(left, entry, middle.left), middle.entry, join(middle.right, right->entry, right->right));
    }
    return join(left, entry, right);
  }

  static NodeRef with(const NodeRef& node, const EntryRef& entry) {
    if (node == nullptr) return join({}, entry, {});
    if (entry->key < node->entry->key) return balanced(with(node->left, entry), node->entry, node->right);
    if (node->entry->key < entry->key) return balanced(node->left, node->entry, with(node->right, entry));
    return join(node->left, entry, node->right);
  }

  // Expects that the key is there.
  static NodeRef without(const NodeRef& node, const Key& key) {
    if (key < node->entry->key) return balanced(without(node->left, key), node->entry, node->right);
    if (node->entry->key < key) return balanced(node->left, node->entry, without(node->right, key));
    if (node->left == nullptr) return node->right;
    if (node->right == nullptr) return node->left;
    const Node* next = node->right.get();
    while (next->left != nullptr) next = next->left.get();
    return balanced(node->left, next->entry, without(node->right, next->entry->key));
  }

  template <class Visit>
  static void walk(const Node* node, const Visit& visit) {
    if (node == nullptr) return;
    walk(node->left.get(), visit);
    visit(*node->entry);
    walk(node->right.get(), visit);
  }

  NodeRef root_;
};

}  // namespace tessera::base
