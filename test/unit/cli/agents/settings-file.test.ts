import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingsOf } from '../../../../src/cli/agents/agent-settings.ts'
import { contentOf } from '../../../../src/cli/agents/settings-file.ts'

const target = { url: 'http://127.0.0.1:8787', key: 'sk_test', model: 'demo-text' }
const filesOf = (name: string) => settingsOf(name)?.files(target) ?? []

test('lines replace those of the same name, and others stay in their order', () => {
  const [file] = filesOf('gemini-cli')
  assert.ok(file)
  const before = '# mine\nGEMINI_MODEL=old\nGEMINI_MODEL_OTHER=x'
  assert.equal(
    contentOf(file, before),
    '# mine\nGEMINI_MODEL=demo-text\nGEMINI_MODEL_OTHER=x\nGOOGLE_GEMINI_BASE_URL=http://127.0.0.1:8787\nGEMINI_API_KEY=sk_test\n',
  )
})

test('an entry is added once', () => {
  const file = filesOf('aider').at(-1)
  assert.ok(file)
  const before = '- name: openai/other\n  edit_format: diff'
  const once = contentOf(file, before)
  assert.equal(once, `${before}\n- name: openai/demo-text\n  use_temperature: false\n`)
  assert.equal(contentOf(file, once), once)
})

test('the same settings again change nothing', () => {
  for (const name of ['claude-code', 'codex', 'gemini-cli', 'opencode', 'aider', 'continue']) {
    for (const file of filesOf(name)) {
      const written = contentOf(file)
      assert.equal(contentOf(file, written), written, name)
    }
  }
})
