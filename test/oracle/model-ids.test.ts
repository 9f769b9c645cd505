// The models of our catalogue beside those that the vendors' SDKs name. A new version of an SDK
// fails here until somebody has listed its new models, or declined them by name.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { builtinModels } from '#providers/builtin-models.ts'
import { declined } from './declined-models.ts'

const installed = (path: string) =>
  readFileSync(new URL(`../../node_modules/${path}`, import.meta.url), 'utf8')
const openAiShared = installed('openai/resources/shared.d.ts')
const openAiAudio = installed('openai/resources/audio/audio.d.ts')
const openAiSpeech = installed('openai/resources/audio/speech.d.ts')

/** The texts of a union type. It must be there: an SDK that renames it would hide its news. */
function unionOf(source: string, name: string): string[] {
  const union = new RegExp(`(?:export|declare) type ${name} = ([^;]*);`).exec(source)?.[1]
  const ids = [...(union ?? '').matchAll(/['"](?<id>[\w.:-]+)['"]/g)].map(
    ({ groups }) => groups?.id,
  )
  assert.ok(ids.length > 3, `there is no union ${name} any more`)
  return ids.filter((id) => id !== undefined)
}

const named = {
  openai: [
    ...unionOf(openAiShared, 'ChatModel'),
    ...unionOf(openAiShared, 'AllModels'),
    ...unionOf(installed('openai/resources/images.d.ts'), 'ImageModel'),
    ...unionOf(openAiAudio, 'AudioModel'),
    ...unionOf(openAiSpeech, 'SpeechModel'),
  ],
  anthropic: unionOf(installed('@anthropic-ai/sdk/resources/messages/messages.d.ts'), 'Model'),
  gemini: unionOf(installed('@google/genai/dist/genai.d.ts'), 'Model_2'),
}

describe('every model that an SDK names is listed, or declined by name', () => {
  for (const provider of ['openai', 'anthropic', 'gemini'] as const) {
    const listed = builtinModels
      .filter((model) => model.provider === provider)
      .map(({ providerModel }) => providerModel)
    const refused = Object.values(declined[provider]).flat()

    test(provider, () => {
      const known = new Set([...listed, ...refused])
      const news = named[provider].filter((id) => !known.has(id))
      assert.deepEqual(news, [], 'list these, or decline them in declined-models.ts')
    })

    test(`${provider}: nothing is declined twice, or although it is listed, or without cause`, () => {
      assert.equal(new Set(refused).size, refused.length)
      assert.deepEqual(
        refused.filter((id) => listed.includes(id)),
        [],
      )
      const gone = refused.filter((id) => !named[provider].includes(id))
      assert.deepEqual(gone, [], 'the SDK names these no more: take them out')
    })
  }
})

test('nothing is listed that OpenAI has shut down, as its SDK says', () => {
  const documents = [openAiShared, openAiAudio, openAiSpeech].join('\n')
  const words = documents.replace(/\s*\n\s*\*\s*/g, ' ')
  const newest =
    builtinModels
      .map(({ facts }) => facts.date)
      .sort()
      .at(-1) ?? ''
  const announced = /- (?<ids>(?:"[^"]+",? ?)+): Announced shutdown date: (?<day>[\d-]{10})/g
  const closed = [...words.matchAll(announced)]
    .filter(({ groups }) => (groups?.day ?? '') <= newest)
    .flatMap(({ groups }) => groups?.ids?.match(/[^", ]+/g) ?? [])
  assert.ok(closed.length > 20, 'the SDK words its deprecations in another way')
  const listed = builtinModels.filter(({ provider }) => provider === 'openai')
  for (const { providerModel } of listed) assert.ok(!closed.includes(providerModel), providerModel)
})
