import assert from 'node:assert/strict'
import { test } from 'node:test'
import { srtOf, vttOf } from '#compat/openai/subtitles.ts'

test('a cue holds no empty line and no arrow of its own', () => {
  const segments = [{ start: 1, end: 2.0005, text: ' a\n\n b --> c ' }]
  assert.equal(srtOf({ segments }), '1\n00:00:01,000 --> 00:00:02,001\na\nb -> c\n\n')
})

test('a transcript without times is one cue, and one without words none', () => {
  assert.equal(
    vttOf({ text: 'Hi', duration: 3 }),
    'WEBVTT\n\n00:00:00.000 --> 00:00:03.000\nHi\n\n',
  )
  assert.equal(vttOf({ text: '', segments: [] }), 'WEBVTT\n\n')
  assert.equal(srtOf({ text: '' }), '')
})

test('times that are no times are the beginning, and hours have as many digits as they need', () => {
  const segments = [
    { start: 'soon', end: -1, text: 'x' },
    { start: 359_999.9996, end: 400_000, text: 'y' },
  ]
  assert.equal(
    vttOf({ segments }),
    'WEBVTT\n\n00:00:00.000 --> 00:00:00.000\nx\n\n100:00:00.000 --> 111:06:40.000\ny\n\n',
  )
})
