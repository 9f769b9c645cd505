import { node, type WorkflowTemplate, wire } from './template.ts'

export const answerFromDocuments: WorkflowTemplate = {
  id: 'answer-from-documents',
  name: 'Answer from your documents',
  description:
    'Picks the passages that share most words with a question and answers from those alone, with the sources beside it.',
  icon: 'book-open-check',
  data: {
    nodes: [
      node('question', 'input.text', [0, 0], { label: 'Question', minLength: 3, maxLength: 1000 }),
      node('documents', 'input.json', [0, 1], {
        label: 'Documents',
        schema: {
          type: 'array',
          minItems: 1,
          maxItems: 200,
          items: {
            type: 'object',
            properties: { title: { type: 'string' }, text: { type: 'string' } },
            required: ['title', 'text'],
          },
        },
      }),
      node('both', 'flow.merge', [1, 0], { label: 'Question and documents', mode: 'object' }),
      node('pick', 'json.transform', [2, 0], {
        label: 'Best passages',
        expression: `(
  $words := $distinct($split($lowercase(question), /[^a-z0-9]+/)[$length($) > 3]);
  $scored := $map(documents, function($document) {(
    $text := $lowercase($document.title & " " & $document.text);
    $merge([$document, {"score": $count($words[$contains($text, $)])}])
  )});
  [$sort($scored, function($a, $b) { $a.score < $b.score })[[0..2]]]
)`,
        outputType: 'list',
      }),
      node('context', 'json.transform', [3, 1], {
        label: 'As one text',
        expression: '$join($.("[" & title & "] " & text), "\\n\\n")',
        outputType: 'text',
      }),
      node('ask', 'text.template', [4, 0], {
        label: 'Ask',
        template:
          'Answer the question from the passages alone, and say so if they do not hold the answer.\n\nQuestion: {{question}}\n\nPassages:\n{{passages}}',
      }),
      node('think', 'text.generate', [5, 0], {
        label: 'Answer',
        model: 'demo-text',
        temperature: 0,
        maxTokens: 400,
      }),
      node('answer', 'output', [6, 0], { label: 'Answer' }),
      node('sources', 'output', [6, 1], { label: 'Sources' }),
    ],
    connections: [
      wire('question', 'both'),
      wire('documents', 'both'),
      wire('both', 'pick'),
      wire('pick', 'context'),
      wire('pick', 'sources'),
      wire('question', 'ask.question'),
      wire('context', 'ask.passages'),
      wire('ask', 'think.prompt'),
      wire('think', 'answer'),
    ],
  },
  sampleInputs: {
    question: 'When does the library open on Saturday?',
    documents: [
      { title: 'Parking', text: 'The car park behind the town hall is free after six.' },
      { title: 'Library', text: 'The library opens at nine on weekdays and at ten on Saturday.' },
      { title: 'Pool', text: 'The pool is closed in winter.' },
    ],
  },
}
