-- Tessera in Neovim: the language server for .tess files, and its hints.
local M = {}

local space = vim.api.nvim_create_namespace("tessera-hints")

-- A label is a text, or a list of parts.
local function text_of(label)
  if type(label) == "string" then return label end
  local all = ""
  for _, part in ipairs(label) do all = all .. part.value end
  return all
end

-- Before 0.10 Neovim cannot show text within a line: the hints of a line then stand at its end.
local function show(buffer, hints)
  vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  local by_line = {}
  for _, hint in ipairs(hints or {}) do
    local line = hint.position.line
    by_line[line] = by_line[line] or {}
    table.insert(by_line[line], { text_of(hint.label) .. "  ", "Comment" })
  end
  for line, parts in pairs(by_line) do
    if line < vim.api.nvim_buf_line_count(buffer) then
      vim.api.nvim_buf_set_extmark(buffer, space, line, 0, { virt_text = parts })
    end
  end
end

local function ask_for_hints(buffer, client)
  local last = vim.api.nvim_buf_line_count(buffer)
  client.request("textDocument/inlayHint", {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    range = { start = { line = 0, character = 0 }, ["end"] = { line = last, character = 0 } },
  }, function(failed, hints)
    if not failed and vim.api.nvim_buf_is_valid(buffer) then show(buffer, hints) end
  end, buffer)
end

local function attached(client, buffer)
  if vim.lsp.inlay_hint and vim.lsp.inlay_hint.enable then
    vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
    return
  end
  ask_for_hints(buffer, client)
  vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI" }, {
    buffer = buffer,
    callback = function() ask_for_hints(buffer, client) end,
  })
end

-- options.command: the server, { "tessera", "lsp" }; options.settings: hints, leastBytes, machine.
function M.setup(options)
  options = options or {}
  local client
  vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
    pattern = "*.tess",
    callback = function(event)
      vim.bo[event.buf].filetype = "tessera"
      client = client or vim.lsp.start_client({
        name = "tessera",
        cmd = options.command or { "tessera", "lsp" },
        root_dir = options.root or vim.fn.getcwd(),
        init_options = options.settings or vim.empty_dict(),
        on_attach = attached,
        on_exit = function() client = nil end,
      })
      if client then vim.lsp.buf_attach_client(event.buf, client) end
    end,
  })
end

return M
