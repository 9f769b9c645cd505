import assert from 'node:assert/strict'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { inTerminal, openSetting } from './setting.ts'

const isPng = (bytes: Buffer) => bytes.subarray(1, 4).toString() === 'PNG'

test('models, an answer, a picture and a film, with nothing but the words', async (t) => {
  const { cli, folder } = await openSetting(t)

  const models = await cli(['models'])
  assert.equal(models.code, 0, models.stderr)
  assert.match(models.stdout, /^MODEL +KIND +PROVIDER +PRICE\ndemo-text +TEXT +embedded/)
  assert.equal(models.stderr, '')

  const answer = await cli(['chat', 'What', 'is', '6', 'times', '7?'])
  assert.deepEqual(answer, { code: 0, stdout: '6 * 7 = 42\n', stderr: '' })

  const picture = await cli(['image', 'a lighthouse', '--out', 'pictures'])
  assert.equal(picture.code, 0, picture.stderr)
  assert.match(picture.stdout, /^pictures\/atelier-[0-9a-f-]{36}\.png\n$/)
  assert.match(picture.stderr, /COMPLETED demo-image/)
  assert.ok(isPng(await readFile(join(folder, picture.stdout.trim()))))

  const film = await cli(['video', 'waves', '--seconds', '1', '--no-wait'])
  assert.equal(film.code, 0, film.stderr)
  const taskId = film.stdout.trim()
  const saved = await cli(['tasks', 'wait', taskId])
  assert.equal(saved.code, 0, saved.stderr)
  assert.equal(saved.stdout, `atelier-${taskId}.mp4\n`)
  const bytes = await readFile(join(folder, `atelier-${taskId}.mp4`))
  assert.equal(bytes.subarray(4, 8).toString(), 'ftyp')

  const tasks = await cli(['tasks'])
  const [first, second] = tasks.stdout.split('\n').slice(1)
  assert.match(first ?? '', new RegExp(`^${taskId} +COMPLETED .* waves$`))
  assert.match(second ?? '', /COMPLETED .* a lighthouse$/)
  const shown = await cli(['tasks', 'get', taskId])
  assert.match(shown.stdout, /^task +.*\nstatus +COMPLETED/)
  assert.match(shown.stdout, /^video\/mp4 http:\/\/127/m)
})

test('--out names a file or a folder, and a picture can be made from others', async (t) => {
  const { cli, folder } = await openSetting(t)
  const dusk = await cli(['image', 'a lighthouse', '--out', 'new/dusk.png'])
  assert.deepEqual([dusk.code, dusk.stdout], [0, 'new/dusk.png\n'], dusk.stderr)
  assert.ok(isPng(await readFile(join(folder, 'new/dusk.png'))))

  const words = ['the same at night', '--image', 'new/dusk.png', '--out', './night.JPG']
  const night = await cli(['image', ...words])
  assert.deepEqual([night.code, night.stdout], [0, 'night.JPG\n'], night.stderr)
  assert.match(night.stderr, /The content is image\/png/)
  assert.ok(isPng(await readFile(join(folder, 'night.JPG'))))

  // A folder stays a folder, whatever it is called.
  await mkdir(join(folder, 'odd.png'))
  const inside = await cli(['image', 'a cat', '--out', 'odd.png'])
  assert.match(inside.stdout, /^odd\.png\/atelier-[0-9a-f-]{36}\.png\n$/)

  const film = await cli([
    'video',
    'it moves',
    '--seconds',
    '1',
    '--resolution',
    '360p',
    '--image',
    'new/dusk.png',
  ])
  assert.equal(film.code, 0, film.stderr)
  const pictures = ['--image', 'new/dusk.png', '--image', 'night.JPG']
  const seen = await cli(['chat', 'What do these show?', ...pictures])
  assert.equal(seen.code, 0, seen.stderr)
  const none = await cli(['image', 'a cat', '--image', 'gone.png'])
  assert.equal(none.code, 2)
  assert.match(none.stderr, /gone\.png cannot be read/)
})

test('a prompt comes from arguments, from a pipe, or from both where - stands', async (t) => {
  const { cli } = await openSetting(t)
  const piped = await cli(['chat'], { stdin: 'What is 2 + 3?\n' })
  assert.match(piped.stdout, /5/)
  const both = await cli(['chat', 'Reply with exactly:', '-'], { stdin: 'the sea' })
  assert.equal(both.stdout, 'the sea\n')
  const none = await cli(['chat'])
  assert.deepEqual([none.code, none.stdout], [2, ''])
  assert.match(none.stderr, /prompt is empty/)
})

test('what a model answers to is what was asked for', async (t) => {
  const { cli } = await openSetting(t)
  const words = ['chat', 'Write a function that adds in Python', '--model', 'demo-code', '--json']
  const answer = JSON.parse((await cli(words)).stdout)
  assert.equal(answer.model, 'demo-code')
  assert.match(answer.content, /def /)

  const refused = await cli(['chat', 'hello', '--model', 'no-such-model'])
  assert.equal(refused.code, 1)
  assert.match(
    refused.stderr,
    /MODEL_NOT_FOUND.*\n"atelier models" lists the models\.\nRequest req_/,
  )
  const outside = await cli(['image', 'x', '--aspect-ratio', '5:1'])
  assert.equal(outside.code, 1)
  assert.match(outside.stderr, /UNSUPPORTED_PARAMETER/)
})

test('--json is one document on one line, for lists, records and results', async (t) => {
  const { cli } = await openSetting(t)
  const read = async (words: string[]) => {
    const { stdout, stderr, code } = await cli([...words, '--json'])
    assert.equal(code, 0, stderr)
    assert.equal(stderr, '')
    assert.equal(stdout.indexOf('\n'), stdout.length - 1)
    return JSON.parse(stdout)
  }
  assert.deepEqual(Object.keys(await read(['models'])), ['items', 'total'])
  assert.equal((await read(['chat', 'What is 1 + 1?'])).finishReason, 'stop')
  const task = await read(['image', 'a cat'])
  assert.deepEqual([task.status, task.files.length], ['COMPLETED', 1])
  const tasks = await read(['tasks', 'list', '--size', '1'])
  assert.deepEqual([tasks.total, tasks.items[0].taskId], [1, task.taskId])
  assert.equal((await read(['tasks', 'get', task.taskId])).taskId, task.taskId)
})

test('a task that failed ends with 1 and says why', async (t) => {
  const { cli } = await openSetting(t, { EMBEDDED_OPTIONS: 'failEvery=1,failAs=content' })
  const failed = await cli(['image', 'a cat'])
  assert.deepEqual([failed.code, failed.stdout], [1, ''])
  assert.match(failed.stderr, /FAILED CONTENT_REJECTED/)
  const asJson = await cli(['image', 'a cat', '--json'])
  assert.equal(asJson.code, 1)
  assert.equal(JSON.parse(asJson.stdout).error.code, 'CONTENT_REJECTED')
})

test('a terminal shows a running task on one line that disappears, then the file', async (t) => {
  const { env, folder } = await openSetting(t, { EMBEDDED_OPTIONS: 'delayMs=500' })
  const seen = inTerminal(['image', 'a fox', '--out', folder], env)
  await seen.shows(/(?:QUEUED|RUNNING) demo-image \d/)
  assert.equal(await seen.ended, 0)
  const [facts, file, ...more] = seen.screen().split('\n')
  assert.match(facts ?? '', /^demo-image · [0-9.]+ s · \$0$/)
  assert.match(file ?? '', /\.png$/)
  assert.deepEqual(more, [])
})

test('Ctrl-C while a task is waited for leaves the task alone and says how to go on', async (t) => {
  const { env } = await openSetting(t, { EMBEDDED_OPTIONS: 'delayMs=60000', SHUTDOWN_SECONDS: '0' })
  const seen = inTerminal(['video', 'waves'], env)
  await seen.shows('demo-video')
  seen.pressCtrlC()
  assert.equal(await seen.ended, 130)
  assert.match(
    seen.screen(),
    /The task continues\. To wait for it: atelier tasks wait [0-9a-f-]{36}/,
  )
})
