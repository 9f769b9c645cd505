import assert from 'node:assert/strict'
import { test } from 'node:test'
import { image, isProviderError, lookAt, make, plainPicture, withProvider } from './studio.ts'

test('an image is a PNG of the form and size asked for', () =>
  withProvider(async ({ submit }) => {
    const sizes: [string, string, number, number][] = [
      ['1:1', '512', 512, 512],
      ['16:9', '1K', 1024, 576],
      ['2:3', '512', 341, 512],
      ['9:16', '2K', 1152, 2048],
    ]
    for (const [aspectRatio, sampleSize, width, height] of sizes) {
      const png = await make(submit, image('A quiet harbour', { aspectRatio, sampleSize }))
      const seen = lookAt(png)
      assert.deepEqual([seen.width, seen.height], [width, height], aspectRatio)
    }
  }))

test('the same request gives the same bytes, in another thread too; another prompt gives others', async () => {
  const draw = (prompt: string) => withProvider(({ submit }) => make(submit, image(prompt)))
  const [first, again, other] = [await draw('A door'), await draw('A door'), await draw('A gate')]
  assert.ok(first.equals(again))
  assert.ok(!first.equals(other))
})

test('high quality is another finish', () =>
  withProvider(async ({ submit }) => {
    const standard = await make(submit, image('A door', { quality: 'standard' }))
    assert.ok(!standard.equals(await make(submit, image('A door', { quality: 'high' }))))
  }))

test('a mood is seen in the picture: night is darker than day', () =>
  withProvider(async ({ submit }) => {
    const brightness = async (prompt: string) => {
      const { colorAt } = lookAt(await make(submit, image(prompt)))
      return [0.1, 0.3, 0.5].reduce((sum, y) => sum + colorAt(0.05, y).reduce((a, b) => a + b), 0)
    }
    assert.ok((await brightness('hills at night')) * 2 < (await brightness('hills at noon')))
  }))

test('a picture that is sent along hangs in the middle', () =>
  withProvider(async ({ submit }) => {
    const picture = { bytes: plainPicture('#12c846'), mimeType: 'image/png' }
    const { colorAt } = lookAt(await make(submit, image('A gallery', { image: picture })))
    assert.deepEqual(colorAt(0.5, 0.42), [0x12, 0xc8, 0x46])
    assert.notDeepEqual(colorAt(0.05, 0.05), [0x12, 0xc8, 0x46])
  }))

test('a picture that cannot be decoded is refused, and the next one is drawn', () =>
  withProvider(async ({ submit }) => {
    const broken = plainPicture('#123456').fill(0, 40)
    await assert.rejects(
      make(submit, image('A gallery', { image: { bytes: broken, mimeType: 'image/png' } })),
      isProviderError('invalid', 'rejected'),
    )
    assert.equal(lookAt(await make(submit, image('A gallery'))).width, 512)
  }))

test('no caption breaks the drawing', () =>
  withProvider(async ({ submit }) => {
    const captions = [
      '',
      '🎉👩‍👩‍👧 emoji',
      'こんにちは世界',
      'مرحبا بالعالم שלום',
      '<svg onload="x">&amp;]]></text>',
      '\u0000\u0008\u202e\ufeff\ud800 lone',
      'x'.repeat(100_000),
      '"\'`\\ %s {{prompt}}',
    ]
    for (const caption of captions) {
      assert.equal(lookAt(await make(submit, image(caption))).width, 512, caption.slice(0, 20))
    }
  }))
