import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  assertAccessible,
  assertFitsPhone,
  assertSound,
  type ConsolePage,
  type ConsoleTest,
  screenshot,
  startConsole,
  views,
} from '../../support/console-browser.ts'
import { png } from '../../support/samples.ts'
import { startTalkingHost } from '../../support/talking-host.ts'

const folder = mkdtempSync(join(tmpdir(), 'atelier-chat-'))
const capabilities = { inputModalities: ['text', 'image'], maxOutputTokens: 1000 }
const pricing = { inputPerMillionTokens: 2, outputPerMillionTokens: 8 }
const talk = { id: 'talk', name: 'Talk', provider: 'local', kind: 'TEXT', capabilities, pricing }

let host: Awaited<ReturnType<typeof startTalkingHost>>
let app: ConsoleTest
before(async () => {
  host = await startTalkingHost()
  const path = join(folder, 'models.json')
  const endpoints = [{ name: 'local', baseUrl: host.url }]
  writeFileSync(path, JSON.stringify({ endpoints, models: [talk] }))
  app = await startConsole({ MODELS_FILE: path })
})
after(async () => {
  await app[Symbol.asyncDispose]()
  host.close()
  rmSync(folder, { recursive: true, force: true })
})

const message = (page: ConsolePage) => page.getByRole('textbox', { name: 'Your message' })

/** Sends a question; the host answers when the test says so. */
async function ask(page: ConsolePage, text: string) {
  await message(page).fill(text)
  await page.keyboard.press('Enter')
  return host.asked()
}

async function askAndAnswer(page: ConsolePage, text: string, answer: string) {
  const asked = await ask(page, text)
  asked.say(answer)
  asked.end()
  await page
    .getByText(/210 out/)
    .last()
    .waitFor()
}

const article = [
  '# Plan',
  'Some **bold**, `code` and a [link](https://example.com). Tom &amp; Jerry, <b>not bold</b>, $a_1 + b_2$.',
  `| City | People |\n|---|--:|\n| ${'Berlin '.repeat(30)} | 3,700,000 |`,
  '1. one\n2. two\n   - inner',
  '```js\nconst answer = 42\n```',
].join('\n\n')

test('an answer is Markdown, and can be read at every width in both themes', () =>
  app.open('/playground/chat?model=talk', async (page) => {
    const asked = await ask(page, 'Make a plan')
    asked.delta({ reasoning_content: 'The person wants a plan.' })
    asked.say(article)
    asked.end()
    await page.getByRole('heading', { name: 'Plan', level: 3 }).waitFor()
    await page.getByText('Tom & Jerry, <b>not bold</b>, $a_1 + b_2$').waitFor()
    await page.getByRole('button', { name: 'Copy js' }).waitFor()
    assert.equal(
      await page.getByRole('link', { name: 'link' }).getAttribute('href'),
      'https://example.com/',
    )
    await page.getByText(/^talk · 25 tokens in · 210 out · \$0\.001/).waitFor()
    assert.equal(await page.getByText('The person wants a plan.').isVisible(), false)
    await page.getByText('Reasoning').click()
    assert.equal(await page.getByText('The person wants a plan.').isVisible(), true)
    for (const { theme, width } of views([380, 1024, 1440])) {
      await page.emulateMedia({ colorScheme: theme })
      await page.setViewportSize({ width, height: 800 })
      await message(page).waitFor()
      await assertAccessible(page)
      await assertFitsPhone(page, width)
      await screenshot(page, `chat-${theme}-${width}`)
    }
  }))

test('the end stays in view until the reader scrolls, and Stop always does', () =>
  app.open(
    '/playground/chat?model=talk',
    async (page) => {
      const asked = await ask(page, 'Count')
      const lines = (from: number) =>
        Array.from({ length: 40 }, (_, index) => `Line ${from + index}\n\n`).join('')
      asked.say(lines(0))
      const line = (number: number) => page.getByText(`Line ${number}`, { exact: true })
      await line(39).waitFor()
      await page.waitForFunction(
        '(() => { const s = document.querySelector(\'section[aria-label="Conversation"]\'); return s.scrollHeight - s.clientHeight - s.scrollTop < 4 })()',
      )
      const stop = page.getByRole('button', { name: 'Stop' })
      const seen = async () => {
        const box = (await stop.boundingBox()) ?? assert.fail('Stop has no place')
        const { width, height } = page.viewportSize() ?? assert.fail()
        assert.ok(box.y >= 0 && box.y + box.height <= height && box.x + box.width <= width)
      }
      for (const size of [
        { width: 380, height: 640 },
        { width: 1024, height: 700 },
        { width: 1440, height: 900 },
      ]) {
        await page.setViewportSize(size)
        await seen()
        await page
          .getByRole('button', { name: 'Model and settings: Talk' })
          .or(page.getByRole('combobox', { name: 'Model' }))
          .waitFor()
      }
      await page.getByRole('region', { name: 'Conversation' }).hover()
      await page.mouse.wheel(0, -600)
      const newest = page.getByRole('button', { name: 'Newest' })
      await newest.waitFor()
      asked.say(lines(40))
      await line(79).waitFor({ state: 'attached' })
      assert.equal(await isInView(page, 79), false)
      await newest.click()
      await newest.waitFor({ state: 'detached' })
      assert.equal(await isInView(page, 79), true)

      await stop.click()
      await page.getByText(/^Stopped · \d+ in, \d+ out · \$0\.\d+$/).waitFor()
      await page.reload()
      await page.getByText(/^Stopped · \d+ in, \d+ out · \$0\.\d+$/).waitFor()
    },
    { width: 380 },
  ))

const isInView = (page: ConsolePage, number: number): Promise<boolean> =>
  page.evaluate(`(() => {
    const found = [...document.querySelectorAll('p')].find(({ textContent }) => textContent === 'Line ${number}')
    const { top, bottom } = found.getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight
  })()`)

test('leaving lets the answer finish, and nothing typed is lost', () =>
  app.open('/playground/chat?model=talk', async (page) => {
    const asked = await ask(page, 'Go on without me')
    asked.say('First half, ')
    await page.getByText('First half,').waitFor()
    await message(page).fill('Half a quest')
    await page.getByRole('link', { name: 'Image', exact: true }).click()
    await page.getByRole('textbox', { name: 'Prompt' }).fill('A half-typed prompt')
    await page.getByRole('link', { name: 'Tasks' }).click()
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor()
    asked.say('second half.')
    asked.end()
    await page.getByRole('link', { name: 'Playground' }).first().click()
    await page.getByText('First half, second half.').waitFor()
    assert.equal(await message(page).inputValue(), 'Half a quest')
    await page.reload()
    await page.getByText('First half, second half.').waitFor()
    assert.equal(await message(page).inputValue(), 'Half a quest')
    await page.getByRole('link', { name: 'Image', exact: true }).click()
    await page.getByText('A half-typed prompt').waitFor()
  }))

test('a page that is reloaded mid-answer keeps the question and asks again', () =>
  app.open('/playground/chat?model=talk', async (page) => {
    const asked = await ask(page, 'Will you be there?')
    asked.say('I am ')
    await page.getByText('I am').waitFor()
    await page.reload()
    await page.getByText('The page was closed before the answer was complete.').waitFor()
    await page.getByText('Will you be there?').last().waitFor()
    await page.getByRole('button', { name: 'Ask again', exact: true }).click()
    const again = await host.asked()
    again.say('I am here.')
    again.end()
    await page.getByText('I am here.').waitFor()
    await page.getByText('2 of 2').waitFor()
  }))

test('a failed answer is retried, another made, a question edited, and nothing is replaced', () =>
  app.open('/playground/chat?model=talk', async (page) => {
    page.expected.push(/400/)
    const asked = await ask(page, 'What is it?')
    asked.refuse(400, 'Not today')
    await page.getByRole('button', { name: 'Retry' }).click()
    const retried = await host.asked()
    retried.say('It is one.')
    retried.end()
    await page.getByText('It is one.').waitFor()
    await page.getByRole('button', { name: 'Answer again' }).click()
    const another = await host.asked()
    another.say('It is two.')
    another.end()
    await page.getByText('It is two.').waitFor()
    await page.getByText('3 of 3').waitFor()
    await page.getByRole('button', { name: 'Answer again' }).focus()
    await page.keyboard.press('Alt+ArrowLeft')
    await page.getByText('It is one.').waitFor()

    await page.getByRole('button', { name: 'Edit and ask again' }).click()
    await askAndAnswer(page, 'What was it?', 'It was three.')
    await page.getByText('2 of 2').waitFor()
    assert.equal(await page.getByText('It is one.').count(), 0)
    await page.getByRole('button', { name: 'Branch: a new chat from here' }).click()
    await page.getByRole('heading', { name: 'What is it? (branch)', level: 1 }).waitFor()
    await askAndAnswer(page, 'And then?', 'Then four.')
    await page.goBack()
    await page.getByRole('heading', { name: 'What is it?', level: 1, exact: true }).waitFor()
    await page.getByRole('button', { name: 'Previous version' }).first().click()
    await page.getByText('It is one.').waitFor()
    await assertSound(page)
  }))

test('two tabs share conversations, which are searched, named, exported and deleted', () =>
  app.open(
    '/playground/chat?model=talk',
    async (page) => {
      await askAndAnswer(page, 'The colour of the sea', 'It is blue.')
      const other = await app.tab(
        page,
        new URL(page.url()).pathname.replace('/console', '') + new URL(page.url()).search,
      )
      const sea = page.url()
      await other.getByText('It is blue.').waitFor()
      await askAndAnswer(other, 'And the sky?', 'Light blue.')
      await page.getByText('Light blue.').waitFor()
      await other.close()
      const list = page.getByRole('complementary', { name: 'Conversations' })
      await page.getByRole('button', { name: 'New chat', exact: true }).click()
      await askAndAnswer(page, 'Something else', 'Entirely.')
      await list.getByRole('searchbox').fill('light BLUE')
      await list.getByText('Something else').waitFor({ state: 'detached' })
      await list.getByRole('button', { name: 'Actions for The colour of the sea' }).click()
      const [saved] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: 'Export as Markdown' }).click(),
      ])
      assert.equal(saved.suggestedFilename(), 'The colour of the sea.md')
      assert.match(readFileSync(await saved.path(), 'utf8'), /## Question\n\nAnd the sky\?/)
      await list.getByRole('button', { name: 'Actions for The colour of the sea' }).click()
      await page.getByRole('menuitem', { name: 'Rename' }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill('Sea and sky')
      await page.keyboard.press('Enter')
      await list.getByText('Sea and sky').waitFor()
      await list.getByRole('button', { name: 'Actions for Sea and sky' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await page.getByRole('button', { name: 'Delete' }).click()
      await list.getByText('Sea and sky').waitFor({ state: 'detached' })
      await page.reload()
      await list.getByText('Something else').waitFor()
      assert.equal(await list.getByText('Sea and sky').count(), 0)
      await page.goto(sea)
      await page.getByRole('heading', { name: 'New chat', level: 1 }).waitFor()
      await assertAccessible(page)
    },
    { width: 1440, height: 900 },
  ))

test('tools are called and answered by hand, and an answer is checked against a schema', () =>
  app.open(
    '/playground/chat?model=talk',
    async (page) => {
      await page.getByRole('button', { name: 'Add tools' }).click()
      const asked = await ask(page, 'How is the weather?')
      assert.match(JSON.stringify(asked.body.tools), /"name":"weather"/)
      const call = { name: 'weather', arguments: '{"city":"Rome"}' }
      asked.delta({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }] })
      asked.end()
      await page.getByText('"Rome"').waitFor()
      await page.getByRole('textbox', { name: 'Result' }).fill('Sunny')
      await page.reload()
      assert.equal(await page.getByRole('textbox', { name: 'Result' }).inputValue(), 'Sunny')
      await assertSound(page)
      await page.getByRole('button', { name: 'Send the result' }).click()
      const answered = await host.asked()
      assert.deepEqual(answered.body.messages.at(-1), {
        role: 'tool',
        tool_call_id: 'call_1',
        content: 'Sunny',
      })
      answered.say('It is sunny in Rome.')
      answered.end()
      await page.getByText('It is sunny in Rome.').waitFor()

      await page.getByRole('button', { name: 'Remove' }).click()
      await page.getByRole('button', { name: 'Add a JSON schema' }).click()
      await askAndAnswer(page, 'As JSON', '{"sunny":true}')
      await page.getByText('Fits the schema').waitFor()
      await assertSound(page)
    },
    { width: 1440, height: 900 },
  ))

test('a picture is pasted or dropped into a question', () =>
  app.open('/playground/chat?model=talk', async (page) => {
    await message(page).fill('What is this?')
    const bytes = [...png({ width: 3, height: 2 })]
    const give = (event: 'paste' | 'drop') =>
      page.evaluate(`(() => {
        const data = new DataTransfer()
        data.items.add(new File([new Uint8Array(${JSON.stringify(bytes)})], 'a.png', { type: 'image/png' }))
        const target = document.querySelector('textarea')
        target.dispatchEvent(${
          event === 'paste'
            ? `new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })`
            : `new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })`
        })
      })()`)
    await give('paste')
    await page.getByRole('button', { name: 'Remove picture 1' }).waitFor()
    await give('drop')
    await page.getByRole('button', { name: 'Remove picture 2' }).click()
    assert.equal(await message(page).inputValue(), 'What is this?')
    await assertSound(page)
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    const asked = await host.asked()
    assert.match(JSON.stringify(asked.body.messages), /image_url/)
    asked.say('A small picture.')
    asked.end()
    await page.getByText('A small picture.').waitFor()
  }))
