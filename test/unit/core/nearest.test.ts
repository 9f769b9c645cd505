import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearest } from '#core/nearest.ts'

const known = ['prompt', 'model', 'temperature', 'maxTokens', 'imageAspectRatio', 'in']

for (const [word, meant] of Object.entries({
  promt: 'prompt',
  propmt: 'prompt',
  max_tokens: 'maxTokens',
  MaxToken: 'maxTokens',
  tempreature: 'temperature',
  imageAspectratio: 'imageAspectRatio',
  modle: 'model',
  note: null,
  colour: null,
  x: null,
  ['temperature'.repeat(10)]: null,
})) {
  test(`"${word.slice(0, 20)}" is ${meant === null ? 'near nothing' : `near "${meant}"`}`, () => {
    assert.equal(nearest(word, known), meant)
  })
}
