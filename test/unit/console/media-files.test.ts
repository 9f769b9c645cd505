import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Task } from '#console/api/types.ts'
import { isTooMuch, mediaFiles } from '#console/screens/tasks/media-files.ts'

const picture = { url: 'u', mimeType: 'image/png', sizeBytes: 300_000_000 }
const task = (taskId: string, promptPreview: string, more: object): Task =>
  ({ taskId, promptPreview, createdAt: '2026-11-17T10:00:00Z', ...more }) as Task

test('files of an archive are named by day, prompt and task, and told apart', () => {
  const files = mediaFiles([
    task('aaaa-11111111', 'A quiet: harbour/\n  at dawn', { imageContent: [picture, picture] }),
    task('aaaa-22222222', '../..', { videoContent: [{ ...picture, mimeType: 'video/mp4' }] }),
    task('aaaa-33333333', 'failed', {}),
  ])
  assert.deepEqual(
    files.map(({ name }) => name),
    [
      '2026-11-17 A quiet harbour at dawn 11111111.png',
      '2026-11-17 A quiet harbour at dawn 11111111 2.png',
      '2026-11-17 22222222.mp4',
    ],
  )
  assert.deepEqual([isTooMuch(files.slice(1, 2)), isTooMuch(files)], [false, true])
})
