import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../../unit/cli/fake-terminal.ts'
import { calls, greeting } from './graphs.ts'
import { begin, inTerminal, openSetting, type Setting } from './setting.ts'

const slow = { EMBEDDED_OPTIONS: 'delayMs=60000', SHUTDOWN_SECONDS: '0' }

const push = async ({ cli }: Setting, workflow: object) => {
  const pushed = await cli(['workflow', 'push', '-'], { stdin: JSON.stringify(workflow) })
  assert.equal(pushed.code, 0, pushed.stderr)
}

test('a run in a pipe prints one line per change to stderr and only the output to stdout', async (t) => {
  const setting = await openSetting(t)
  await push(setting, greeting)
  const words = ['run', '1', '--input', 'name=Ada', '--input', 'times=2']
  const { code, stdout, stderr } = await setting.cli(words)
  assert.deepEqual([code, stdout], [0, 'Hello Ada, 2 times\n'], stderr)
  assert.match(stderr, /^node words COMPLETED \d/m)
  assert.match(stderr, /\nrun [0-9a-f-]{36} COMPLETED [0-9.]+ s \$0\n$/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is the promise
  assert.doesNotMatch(stderr + stdout, /\x1b/)

  const asJson = await setting.cli([...words, '--json'])
  const run = JSON.parse(asJson.stdout)
  assert.deepEqual([asJson.stderr, run.status], ['', 'COMPLETED'])
  assert.deepEqual(run.outputs, { greeting: 'Hello Ada, 2 times' })
  const list = await setting.cli(['runs', '1'])
  assert.match(list.stdout, new RegExp(`^RUN .*\n${run.runId} +COMPLETED .* 4/4 +\\$0\n`))
  const node = await setting.cli(['runs', 'get', run.runId, '--node', 'words', '--json'])
  assert.equal(JSON.parse(node.stdout).outputs.text, 'Hello Ada, 2 times')
  assert.match((await setting.cli(['runs', 'get', run.runId])).stdout, /^COMPLETED {2}4\/4 nodes/)
})

test('inputs come from a file, a pipe and words, each as the workflow declares it', async (t) => {
  const setting = await openSetting(t)
  await push(setting, greeting)
  await writeFile(join(setting.folder, 'in.json'), '{"name":"File","times":3}')
  await writeFile(join(setting.folder, 'name.txt'), 'Content')
  const outputOf = async (words: string[], stdin?: string) =>
    (await setting.cli(['run', '1', ...words], stdin === undefined ? {} : { stdin })).stdout
  assert.equal(await outputOf(['--inputs', 'in.json']), 'Hello File, 3 times\n')
  assert.equal(await outputOf(['--inputs', '-'], '{"name":"Pipe"}'), 'Hello Pipe, 1 times\n')
  assert.equal(
    await outputOf(['--inputs', 'in.json', '--input', 'name=@name.txt']),
    'Hello Content, 3 times\n',
  )
  assert.equal(await outputOf(['--input', 'name=1']), 'Hello 1, 1 times\n')

  const wrong = await setting.cli(['run', '1', '--input', 'name=x', '--input', 'times=many'])
  assert.deepEqual([wrong.code, wrong.stdout], [2, ''])
  assert.match(wrong.stderr, /Input "times" accepts number, not "many"/)
  const unknown = await setting.cli(['run', '1', '--input', 'nme=x'])
  assert.match(unknown.stderr, /has no input "nme"\. Its inputs: name, times\./)
  const missing = await setting.cli(['run', '1'])
  assert.equal(missing.code, 1)
  assert.match(missing.stderr, /input "name" is required\. \(INPUT_INVALID\)\nRequest req_/)
})

test('one key makes one run, however often the command is given', async (t) => {
  const setting = await openSetting(t)
  await push(setting, greeting)
  const words = ['run', '1', '--input', 'name=Ada', '--key', 'monday', '--no-wait']
  const first = await setting.cli(words)
  const second = await setting.cli(words)
  assert.equal(second.stdout, first.stdout)
  assert.match(second.stderr, /This key started run .* before/)
  const other = await setting.cli(['run', '1', '--input', 'name=Bob', '--key', 'monday'])
  assert.equal(other.code, 1)
  assert.match(
    other.stderr,
    /IDEMPOTENCY_KEY_REUSED.*\n {2}runId: [0-9a-f-]{36}\nUse another --key/,
  )
})

test('pictures among the outputs are saved, and shown as files', async (t) => {
  const setting = await openSetting(t)
  await push(setting, calls(['image']))
  const { code, stdout, stderr } = await setting.cli(['run', '1', '--out', 'results'])
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^results\/image-out-[0-9a-f-]{36}\.png\n$/)
  const bytes = await readFile(join(setting.folder, stdout.trim()))
  assert.equal(bytes.subarray(1, 4).toString(), 'PNG')
})

test('a run that failed ends with 1, says which node, and can be run again', async (t) => {
  const setting = await openSetting(t, { EMBEDDED_OPTIONS: 'failEvery=1,failAs=content' })
  await push(setting, calls(['text']))
  const failed = await setting.cli(['run', '1'])
  assert.deepEqual([failed.code, failed.stdout], [1, ''])
  assert.match(failed.stderr, /node text FAILED .*CONTENT_REJECTED/)
  const runId = /To run again what is missing: atelier retry ([0-9a-f-]{36})/.exec(
    failed.stderr,
  )?.[1]
  const again = await setting.cli(['retry', runId ?? '', '--json'])
  assert.equal(again.code, 1)
  assert.equal(JSON.parse(again.stdout).retryOf, runId)
})

test('a run is cancelled by its identifier, with the reason kept', async (t) => {
  const setting = await openSetting(t, slow)
  await push(setting, calls(['text']))
  const { stdout } = await setting.cli(['run', '1', '--no-wait'])
  const runId = stdout.trim()
  const cancelled = await setting.cli(['cancel', runId, '--reason', 'changed my mind'])
  assert.equal(cancelled.code, 0, cancelled.stderr)
  assert.match(cancelled.stdout, /^CANCEL/)
  const waited = await setting.cli(['runs', 'wait', runId, '--json'])
  const run = JSON.parse(waited.stdout)
  assert.deepEqual([waited.code, run.status], [1, 'CANCELLED'])
  assert.equal(run.cancelReason, 'changed my mind')
})

test('an interrupted process stops waiting, and the run continues', async (t) => {
  const setting = await openSetting(t, slow)
  await push(setting, calls(['text']))
  const waiting = begin(['run', '1'], { env: setting.env })
  await until(
    () => waiting.said.stderr.includes('node text RUNNING'),
    () => waiting.said.stderr,
  )
  waiting.child.kill('SIGINT')
  const { code, stdout, stderr } = await waiting.ended
  assert.deepEqual([code, stdout], [130, ''])
  assert.doesNotMatch(stderr, /\[y\/N\]/)
  const runId = /To wait for it: atelier runs wait ([0-9a-f-]{36})/.exec(stderr)?.[1] ?? ''
  const run = JSON.parse((await setting.cli(['runs', 'get', runId, '--json'])).stdout)
  assert.equal(run.status, 'RUNNING')
})

test('a terminal shows the nodes, what they took and cost, and draws over itself', async (t) => {
  const { env, ...setting } = await openSetting(t, { EMBEDDED_OPTIONS: 'delayMs=1500' })
  await push({ env, ...setting }, calls(['text']))
  const seen = inTerminal(['run', '1', '--input', 'topic=What is 2 + 2?'], env)
  await seen.shows(
    /^RUNNING {2}\d\/3 nodes {2}[0-9.]+ s {2}\$0 {2}Calls\n +✓ +topic .*\n +. +text /,
  )
  assert.equal(await seen.ended, 0)
  const [head, topic, text, output, result, ...more] = seen.screen().split('\n')
  assert.match(head ?? '', /^COMPLETED {2}3\/3 nodes/)
  assert.match(topic ?? '', /✓ +topic +input\.text/)
  assert.match(text ?? '', /✓ +text +text\.generate +[0-9.]+ s +\$0$/)
  assert.match(output ?? '', /✓ +text-out +output/)
  assert.match(result ?? '', /4/)
  assert.deepEqual(more, [])
})

test('Ctrl-C in a terminal asks, and a yes cancels the run', async (t) => {
  const { env, ...setting } = await openSetting(t, slow)
  await push({ env, ...setting }, calls(['text']))
  const seen = inTerminal(['run', '1'], env)
  await seen.shows('text.generate')
  seen.pressCtrlC()
  await seen.shows('Stopped waiting. Cancel the run, too? [y/N]')
  seen.type('y\r')
  assert.equal(await seen.ended, 130)
  assert.match(seen.screen(), /The run is CANCEL/)
  const [run] = JSON.parse((await setting.cli(['runs', '1', '--json'])).stdout).items
  assert.equal(run.cancelReason, 'cancelled at the command line')
})

test('Ctrl-C twice in a terminal leaves at once, and the run continues', async (t) => {
  const { env, ...setting } = await openSetting(t, slow)
  await push({ env, ...setting }, calls(['text']))
  const seen = inTerminal(['run', '1'], env)
  await seen.shows('text.generate')
  seen.pressCtrlC()
  await seen.shows('[y/N]')
  seen.type('\x03')
  assert.equal(await seen.ended, 130)
  assert.match(seen.screen(), /The run continues\. To wait for it: atelier runs wait/)
  const [run] = JSON.parse((await setting.cli(['runs', '1', '--json'])).stdout).items
  assert.equal(run.cancelRequestedAt, null)
})
