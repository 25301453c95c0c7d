"""Run by test_pytest_lsp.py in build/venv: all examples through pytest-lsp's client."""

import os
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.tess"))


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[os.environ["TESSERA"], "lsp"]))
async def client(lsp_client: LanguageClient):
    await lsp_client.initialize_session(
        types.InitializeParams(capabilities=client_capabilities("visual-studio-code"), process_id=os.getpid()))
    yield
    await lsp_client.shutdown_session()


def identifier(path):
    return types.TextDocumentIdentifier(uri=path.as_uri())


async def opened(client, path):
    text = path.read_text(encoding="utf-8")
    client.text_document_did_open(types.DidOpenTextDocumentParams(
        types.TextDocumentItem(uri=path.as_uri(), language_id="tessera", version=1, text=text)))
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    return text


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
async def test_every_request(client: LanguageClient, path):
    text = await opened(client, path)
    assert not client.diagnostics[path.as_uri()]
    lines = text.split("\n")
    everything = types.Range(types.Position(0, 0), types.Position(len(lines), 0))
    own = identifier(path)
    assert await client.text_document_inlay_hint_async(types.InlayHintParams(own, everything))
    assert (await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(own))).data
    assert await client.text_document_document_symbol_async(types.DocumentSymbolParams(own))
    await client.text_document_folding_range_async(types.FoldingRangeParams(own))
    await client.text_document_formatting_async(
        types.DocumentFormattingParams(own, types.FormattingOptions(tab_size=2, insert_spaces=True)))
    for number, line in enumerate(lines):
        place = types.Position(number, len(line) // 2)
        await client.text_document_hover_async(types.HoverParams(own, place))
        await client.text_document_completion_async(types.CompletionParams(own, place))
        await client.text_document_signature_help_async(types.SignatureHelpParams(own, place))
        await client.text_document_definition_async(types.DefinitionParams(own, place))
        await client.text_document_references_async(types.ReferenceParams(types.ReferenceContext(True), own, place))
        await client.text_document_selection_range_async(types.SelectionRangeParams(own, [place]))
    await client.text_document_code_action_async(
        types.CodeActionParams(own, types.Range(types.Position(1, 0), types.Position(1, 5)), types.CodeActionContext([])))


async def test_messages_have_a_code_a_link_and_help(client: LanguageClient, tmp_path):
    path = tmp_path / "text.tess"
    path.write_text("mesh m = [x: 2]\nlet abc = 1\nlet b = abd + 1\n", encoding="utf-8")
    await opened(client, path)
    (told,) = client.diagnostics[path.as_uri()]
    assert told.code == "unknown-name"
    assert told.message.endswith("help: did you mean `abc`?")
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(identifier(path), told.range, types.CodeActionContext([told])))
    assert [one.title for one in actions] == ["write `abc`"]
