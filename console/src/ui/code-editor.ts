// CodeMirror inside a shadow root, where its styles are adopted style sheets, which the page's
// policy allows. In the document it would inject a style element, which the policy refuses.
import {
  acceptCompletion,
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { Compartment, EditorState } from '@codemirror/state'
import {
  Decoration,
  EditorView,
  keymap,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'

export type Language = 'template' | 'jsonata' | 'json'

type EditorOptions = {
  label: string
  language: Language
  isReadOnly: boolean
  text: string
  names(): readonly string[]
  onChange(text: string): void
  /** Mod+Enter: what is written is meant so. */
  onAccept?(): void
}

export function openEditor(host: HTMLElement, options: EditorOptions) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open', delegatesFocus: true })
  let isShowing = false
  let isClosed = false
  const language = new Compartment()
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        history(),
        closeBrackets(),
        keymap.of(acceptKey(options)),
        keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
        EditorView.lineWrapping,
        // Read-only text must still be reachable by keyboard.
        EditorView.contentAttributes.of({ 'aria-label': options.label, tabindex: '0' }),
        EditorView.editable.of(!options.isReadOnly),
        EditorState.readOnly.of(options.isReadOnly),
        autocompletion({ override: [complete(options)], icons: false }),
        language.of(languageOf(options.language)),
        look,
        typed,
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !isShowing) options.onChange(update.state.doc.toString())
        }),
      ],
    }),
  })
  if (options.language === 'json') {
    void import('./json-language.ts').then(({ jsonLanguage }) => {
      if (!isClosed) view.dispatch({ effects: language.reconfigure(jsonLanguage) })
    })
  }
  return {
    text: () => view.state.doc.toString(),
    /** Replaces the text from outside; this is not reported to `onChange`. */
    show(text: string) {
      if (text === view.state.doc.toString()) return
      isShowing = true
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
      isShowing = false
    },
    close() {
      isClosed = true
      view.destroy()
    },
  }
}

/** An open list of completions takes the key first. */
const acceptKey = ({ onAccept }: EditorOptions) =>
  onAccept
    ? [
        {
          key: 'Mod-Enter',
          run(view: EditorView) {
            if (!acceptCompletion(view)) onAccept()
            return true
          },
        },
      ]
    : []

const placeholders = marks(/\{\{[^{}]*\}\}/g, 'cm-mark')
const names = marks(/\$[A-Za-z]+(?=\()|\$\$?/g, 'cm-mark')

function marks(regexp: RegExp, name: string) {
  const matcher = new MatchDecorator({ regexp, decoration: Decoration.mark({ class: name }) })
  return ViewPlugin.fromClass(
    class {
      decorations: ReturnType<typeof matcher.createDeco>
      constructor(view: EditorView) {
        this.decorations = matcher.createDeco(view)
      }
      update(update: ViewUpdate) {
        this.decorations = matcher.updateDeco(update, this.decorations)
      }
    },
    { decorations: (plugin) => plugin.decorations },
  )
}

/** JSON is loaded separately, from `json-language.ts`. */
function languageOf(language: Language) {
  switch (language) {
    case 'json':
      return []
    case 'template':
      return [placeholders]
    case 'jsonata':
      return [names]
    default:
      return language satisfies never
  }
}

/**
 * When text is typed over coloured text, Chromium keeps the colour as an inline style, which the
 * policy refuses. So the editor inserts typed text itself; input methods still write into the page.
 */
const typed = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data } = event
    if (inputType !== 'insertText' || data === null || view.composing) return false
    const { from, to } = targetOf(event, view)
    const changes = { from, to, insert: data }
    const selection = { anchor: from + data.length }
    const insert = () => view.state.update({ changes, selection }, typing)
    const handlers = view.state.facet(EditorView.inputHandler)
    if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert())
    event.preventDefault()
    return true
  },
})

/** The range selected in the page: the editor learns of it later, perhaps after text was typed. */
function targetOf(event: InputEvent, view: EditorView): { from: number; to: number } {
  const [range] = event.getTargetRanges()
  if (!range || !view.contentDOM.contains(range.startContainer)) return view.state.selection.main
  return {
    from: view.posAtDOM(range.startContainer, range.startOffset),
    to: view.posAtDOM(range.endContainer, range.endOffset),
  }
}

const typing = { userEvent: 'input.type', scrollIntoView: true }

const look = EditorView.theme({
  '&': { fontSize: '13px', color: 'var(--ink)', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-content': {
    fontFamily: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace',
    minHeight: '72px',
    caretColor: 'var(--ink)',
  },
  '.cm-scroller': { maxHeight: '320px', lineHeight: '20px' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-mark': { color: 'var(--accent)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--card)',
    border: '1px solid var(--line)',
    color: 'var(--ink)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
  },
})

const functions = [
  'append',
  'average',
  'boolean',
  'contains',
  'count',
  'distinct',
  'each',
  'exists',
  'filter',
  'fromMillis',
  'join',
  'keys',
  'length',
  'lookup',
  'lowercase',
  'map',
  'match',
  'max',
  'merge',
  'min',
  'not',
  'now',
  'number',
  'pad',
  'reduce',
  'replace',
  'reverse',
  'round',
  'sort',
  'split',
  'string',
  'substring',
  'sum',
  'toMillis',
  'trim',
  'type',
  'uppercase',
  'zip',
]

/** Completes port names between braces, and members of values and functions in expressions. */
function complete({ language, names: known }: EditorOptions) {
  return (context: CompletionContext): CompletionResult | null => {
    if (language === 'json') return null
    const word = context.matchBefore(language === 'template' ? /\{\{\s*[\w.-]*/ : /\$?[\w.]*/)
    if (!word || (word.from === word.to && !context.explicit)) return null
    const at = language === 'template' ? word.text.search(/[\w.-]*$/) : 0
    const options = known().map((label) => ({ label, type: 'variable' }))
    return {
      from: word.from + at,
      options:
        language === 'template'
          ? options
          : [...options, ...functions.map((name) => ({ label: `$${name}`, type: 'function' }))],
    }
  }
}
