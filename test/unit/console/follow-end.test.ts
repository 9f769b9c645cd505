import assert from 'node:assert/strict'
import { test } from 'node:test'
import { afterScroll, following, letGo } from '#console/lib/follow-end.ts'

/** At this distance from the end of 1,000 px, of which 300 are in view. */
const at = (distance: number) => ({ top: 700 - distance, height: 1000, view: 300 })

test('the end stays in view while text arrives, until the reader scrolls up', () => {
  const atEnd = afterScroll(following, at(0))
  assert.equal(atEnd.isFollowing, true)
  // More text: the end is further away, but nobody moved.
  const grown = afterScroll(atEnd, { ...at(0), height: 1400 })
  assert.equal(grown.isFollowing, true)
  assert.equal(afterScroll(grown, { top: 600, height: 1400, view: 300 }).isFollowing, false)
})

test('within 48 px of the end a small movement changes nothing', () => {
  const atEnd = afterScroll(following, at(0))
  assert.equal(afterScroll(atEnd, at(40)).isFollowing, true)
  assert.equal(afterScroll(atEnd, at(60)).isFollowing, false)
})

test('a wheel or key upwards lets go even if new text comes before the scroll', () => {
  const atEnd = afterScroll(following, at(0))
  const released = letGo(atEnd, at(0))
  assert.equal(released.isFollowing, false)
  assert.equal(afterScroll(released, at(20)).isFollowing, false)
  assert.equal(letGo(following, { top: 0, height: 200, view: 300 }).isFollowing, true)
})

test('scrolling back to the end follows again', () => {
  const away = afterScroll(letGo(following, at(0)), at(400))
  assert.equal(away.isFollowing, false)
  assert.equal(afterScroll(away, at(100)).isFollowing, false)
  assert.equal(afterScroll(away, at(30)).isFollowing, true)
})
