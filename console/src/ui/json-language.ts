// JSON in an editor: colours, and a mark at syntax errors. Loaded when an editor holds JSON.
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { linter } from '@codemirror/lint'
import type { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--info)' },
])

/** An empty text is no value rather than invalid JSON. */
const parseProblems = jsonParseLinter()
const problems = (view: EditorView) =>
  view.state.doc.toString().trim() === '' ? [] : parseProblems(view)

export const jsonLanguage = [json(), linter(problems), syntaxHighlighting(colours)]
