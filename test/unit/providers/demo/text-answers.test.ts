import assert from 'node:assert/strict'
import { test } from 'node:test'
import { article, say } from './ask.ts'

test('a summary holds as many of the text’s own sentences as asked for', () => {
  const lines = say(`Summarize the following article in 3 bullet points:\n\n${article}`).split('\n')
  assert.equal(lines.length, 3)
  for (const line of lines) {
    assert.ok(line.startsWith('- '))
    assert.ok(article.includes(line.slice(2)), line)
  }
  assert.equal(
    say(`${article}\n\nTL;DR`),
    'Solar power grew faster than any other source of electricity in 2025.',
  )
})

test('the instruction may stand before the text, after it, in a fence or in the system prompt', () => {
  const one = say(`Summarize in one sentence:\n\n${article}`)
  assert.equal(say(`${article}\n\nSummarize in one sentence.`), one)
  assert.equal(say(`Summarize in one sentence.\n"""\n${article}\n"""`), one)
  assert.equal(say(article, { system: 'Summarize the user’s text in one sentence.' }), one)
  assert.equal(say(`Summarize in one sentence: <text>${article}</text>`), one)
})

test('a question is answered with the sentence that answers it', () => {
  const about = (question: string) => say(`Context: ${article}\nQuestion: ${question}\nAnswer:`)
  assert.match(about('Who leads the Solar Association?'), /Maria Schneider/)
  assert.match(about('How much capacity does the agency expect in 2026?'), /600 gigawatts/)
  assert.match(about('When is the next report due?'), /15 March 2027/)
  assert.equal(about('What is the capital of Peru?'), 'The text I was given does not say.')
})

test('a question between an instruction and its passages is found', () => {
  const prompt = (question: string) =>
    `Answer the question from the passages alone.\n\nQuestion: ${question}\n\nPassages:\n[Hours] The shop opens at nine.\n\n[Returns] Goods may be returned within 30 days.`
  assert.equal(say(prompt('When does the shop open?')), '[Hours] The shop opens at nine.')
  assert.equal(say(prompt('Who founded Rome?')), 'The text I was given does not say.')
})

test('what was said earlier can be asked for', () => {
  const before = [
    { role: 'user', content: 'My name is Bob and I live in Oslo.' },
    { role: 'assistant', content: 'Good to know.' },
  ] as const
  assert.match(say('Where do I live?', { before: [...before] }), /Oslo/)
})

test('arithmetic is right, in signs and in words', () => {
  const cases: [string, string][] = [
    ['What is 12% of 250?', '30'],
    ['(3+4)*2^3 - 10/4', '53.5'],
    ['calculate 2^3^2', '512'],
    ['what is -3 - -4', '1'],
    ['7 times 6', '42'],
    ['1,000 divided by 8', '125'],
    ['What is the square root of 144?', '12'],
    ['what is 15% off 80?', '68'],
    ['0.1 + 0.2', '0.3'],
    [`${'('.repeat(200)}7${')'.repeat(200)} + 1`, '8'],
  ]
  for (const [question, result] of cases)
    assert.match(say(question), new RegExp(`= ${result}$`), question)
  assert.match(say('1/0'), /no value/)
})

test('a broken sum is not reckoned', () => {
  for (const sum of ['2 + ', '(2 + 3', '2 3 + 4', '* 4', '2 + + * 3']) {
    assert.doesNotMatch(say(sum), / = /, sum)
  }
})

test('what no rule can do is said plainly, with the gist of the text that came along', () => {
  const answer = say(`Rewrite the following text as a lively post.\n\n${article}`)
  assert.match(answer, /^Demo answer\. Your text in short:/)
  assert.match(answer, /Solar power grew faster/)
  assert.match(say('Translate to French: Good morning.'), /^Demo answer\..*Good morning\./s)
  assert.match(say('Write a haiku'), /^Demo answer to “Write a haiku”\. A real model writes/)
  assert.doesNotMatch(say('Write a haiku'), /error|cannot|no rule/i)
})

test('the code model writes a skeleton in the language named, and says that it is one', () => {
  const code = (content: string) => say(content, { model: 'demo-code' })
  assert.match(code('Write a Python function that folds laundry'), /```python\ndef folds_laundry\(/)
  assert.match(code('debounce in JavaScript'), /export function debounce\(value\)/)
  assert.match(code('SQL for the top customers'), /select \*\nfrom top_customers/)
  assert.match(code('debounce'), /```typescript[\s\S]*demo model: this is a skeleton/)
})

test('the model says what it is, and never passes for another', () => {
  for (const words of ['Hello!', 'Who are you?', 'help', 'Tell me about quantum physics', '']) {
    assert.match(say(words), /embedded demo model/, words)
  }
})

test('of a picture nothing is made up', () => {
  const media = { bytes: Buffer.alloc(24), mimeType: 'image/png' }
  const answer = say('What do you see?', {
    before: [{ role: 'user', content: [{ type: 'image', media }] }],
  })
  assert.match(answer, /demo model and cannot see pictures/)
})

test('the same request gives the same answer, whatever the temperature', () => {
  const content = `Summarize: ${article}`
  assert.equal(say(content, { temperature: 0 }), say(content, { temperature: 2 }))
})
