/** What people who come from elsewhere call a node, by its type: they search for it by these words. */
const otherWords: Record<string, string> = {
  'browser.crop': 'cut trim',
  'flow.condition': 'if else branch switch router filter case decide',
  'flow.map': 'loop each iterate foreach batch parallel split',
  'flow.merge': 'join combine collect wait all',
  'flow.repeat': 'loop while until again agent',
  'http.request': 'http api rest webhook fetch curl url get post call',
  'image.generate': 'picture photo art draw dalle flux',
  'input.boolean': 'boolean checkbox flag',
  'input.image': 'picture photo file upload',
  'input.json': 'object data webhook body form trigger',
  'input.number': 'integer amount',
  'input.text': 'string form prompt start trigger',
  'input.video': 'film file upload',
  'json.transform': 'code function javascript script set edit map jsonata expression',
  output: 'result return respond end',
  'text.generate': 'llm ai gpt openai claude gemini chat model prompt agent',
  'text.template': 'string concat format set prompt',
  'video.generate': 'film clip movie',
  'wait.approval': 'human review person accept reject ask form',
  'wait.callback': 'webhook event resume listen',
  'wait.delay': 'sleep pause timer schedule cron later time',
  'workflow.call': 'subworkflow execute nested',
}

type Named = { readonly label: string; readonly type: string; readonly help: string }

export const wordsFor = (type: string): string => otherWords[type] ?? ''

/** Every text by which a type is found. */
export const searchTextOf = ({ label, type, help }: Named): string =>
  `${label} ${type} ${wordsFor(type)} ${help}`

/** A label that begins so comes first, then what others call so, then what only mentions it. */
export function searchRank(label: string, words: string, typed: string): 0 | 1 | 2 {
  const first = typed.trim().toLowerCase()
  if (label.toLowerCase().startsWith(first)) return 0
  return words.split(' ').some((word) => word.startsWith(first)) ? 1 : 2
}
