import assert from 'node:assert/strict'
import { test } from 'node:test'
import { article, review, say } from './ask.ts'

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

test('two texts are compared by what can be counted', () => {
  const answer = say(
    'Compare the translation with the original.\n\nOriginal:\nIt costs 12 euros.\n\nTranslation:\nEs kostet Euro.',
  )
  assert.match(answer, /Original: 1 sentence\(s\), 4 words/)
  assert.match(answer, /Only in Original: 12/)
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
  assert.match(say('average of 3, 4 and 8'), /is 5$/)
  assert.match(say('1/0'), /no value/)
})

test('a broken sum is not reckoned', () => {
  for (const sum of ['2 + ', '(2 + 3', '2 3 + 4', '* 4', '2 + + * 3']) {
    assert.doesNotMatch(say(sum), / = /, sum)
  }
})

test('addresses, numbers, dates, names and tasks are extracted', () => {
  const found = say(`Extract all emails, phone numbers and dates: ${article}`)
  assert.match(found, /press@iea\.example/)
  assert.match(found, /\+33 1 40 57 65 00/)
  assert.match(found, /15 March 2027/)
  assert.match(say(`Extract the names:\n\n${article}`), /- Maria Schneider/)
  const notes = 'Anna will send the budget by Friday. We liked the logo. Lisa needs to book a room.'
  assert.equal(
    say(`List the action items:\n\n${notes}`),
    '- Anna will send the budget by Friday.\n- Lisa needs to book a room.',
  )
  assert.match(say('Extract the emails: nothing here'), /none found/)
})

test('a class is one of the labels offered, alone where a label alone is asked for', () => {
  const ticket = 'I was charged twice on my card, please refund the payment.'
  assert.equal(say(`Classify this ticket as billing, technical or sales: "${ticket}"`), 'billing')
  const one = 'Classify the sentiment. Answer with one word: positive, negative or neutral.'
  assert.equal(say(`${one}\n\n${review}`), 'positive')
  assert.equal(say(`${one}\n\nThe room was dirty and the service terrible.`), 'negative')
  assert.equal(say(`${one}\n\nNot good, not helpful.`), 'negative')
  assert.equal(say(`Is this spam? Answer yes or no.\n\nYou are a winner, click for a prize`), 'yes')
  assert.equal(say(`Is this spam? Answer yes or no.\n\nLunch at noon?`), 'no')
})

test('the system prompt decides what is done with a message that is itself a question', () => {
  const system = 'Classify the user’s message as question, complaint or praise. Only the label.'
  assert.equal(say('Where is my order?', { system }), 'question')
})

test('a rating lies on the scale that was asked for', () => {
  assert.match(say(`Rate this text from 1 to 5. Only the number.\n\n${review}`), /^[1-5]$/)
  assert.match(say(`Rate this text from 1 to 10:\n\n${review}`), /^\d{1,2}\/10/)
})

test('edits change the text as told', () => {
  assert.equal(say('Make this uppercase: hello world'), 'HELLO WORLD')
  assert.equal(say('Uppercase hello world'), 'HELLO WORLD')
  assert.equal(say('Sort alphabetically: pear, apple, fig'), 'apple, fig, pear')
  assert.equal(
    say('Turn into bullet points: One is here. Two is there.'),
    '- One is here.\n- Two is there.',
  )
  assert.equal(say('Shorten to 3 words: one two three four five'), 'one two three…')
  assert.equal(say("Rewrite formally: i can't come today"), 'I cannot come today.')
  assert.equal(say('How many words are in: the quick brown fox'), '4 words')
  assert.equal(say('Reply with exactly: ready'), 'ready')
})

test('a translation is refused honestly, with the text ready for a translator', () => {
  const answer = say('Translate to French: Good morning. How are you?')
  assert.match(answer, /cannot translate/)
  assert.match(answer, /\[French: to be translated\] Good morning\./)
  assert.match(answer, /\[French: to be translated\] How are you\?/)
})

test('titles, posts and lists of prompts come from the material', () => {
  assert.match(say(`Suggest a title:\n\n${article}`), /^Solar Power Grew/)
  const post = say(`Write a tweet about this article:\n\n${article}`)
  assert.ok(post.length <= 280)
  assert.match(post, /#\w+/)
  const prompts = say('Give me 4 image prompts about a lighthouse').split('\n')
  assert.equal(prompts.length, 4)
  assert.equal(new Set(prompts).size, 4)
  for (const prompt of prompts) assert.match(prompt, /lighthouse/i)
})

test('the code model writes known functions, and says so where it knows none', () => {
  const code = (content: string) => say(content, { model: 'demo-code' })
  assert.match(
    code('Write a Python function for fibonacci numbers'),
    /```python\ndef fibonacci\(n: int\)/,
  )
  assert.doesNotMatch(code('debounce in JavaScript'), /unknown|«|: number/)
  assert.match(code('debounce in TypeScript'), /waitMs: number/)
  assert.match(
    code('SQL for the top 5 customers by revenue'),
    /from customers\norder by revenue desc\nlimit 5;/,
  )
  assert.match(
    code('Write a function that folds laundry'),
    /The demo model knows no rule for this task/,
  )
  assert.match(
    code('Explain this code:\n```\nfunction add(a, b) {\n  return a + b;\n}\n```'),
    /defines add/,
  )
})

test('the model says what it is, and never passes for another', () => {
  for (const words of ['Hello!', 'Who are you?', 'help', 'Tell me about quantum physics', '']) {
    assert.match(say(words), /embedded demo model/, words)
  }
})

test('the size and type of a picture are named, and nothing is made up about its content', () => {
  const png = Buffer.alloc(24)
  png.set(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
  png.writeUInt32BE(640, 16)
  png.writeUInt32BE(480, 20)
  const answer = say('', {
    before: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What do you see?' },
          { type: 'image', media: { bytes: png, mimeType: 'image/png' } },
        ],
      },
    ],
  })
  assert.match(answer, /PNG, 640 × 480 pixels, landscape/)
  assert.match(answer, /not what it shows/)
})

test('the same request gives the same answer, whatever the temperature', () => {
  const content = `Give me 5 ideas for a bakery`
  assert.equal(say(content, { temperature: 0 }), say(content, { temperature: 2 }))
})
