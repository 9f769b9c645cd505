// Names for what several tasks made, as files of one archive. Pure.
import type { Task } from '#console/api/types.ts'

export type MediaFile = { name: string; url: string; sizeBytes: number }

const mostBytes = 500_000_000

/** "2026-11-17 a quiet harbour 1f2e3d4c.png": sorted by day, told apart by the task. */
export const mediaFiles = (tasks: readonly Task[]): MediaFile[] =>
  tasks.flatMap((task) =>
    (task.imageContent ?? task.videoContent ?? []).map(({ url, mimeType, sizeBytes }, index) => {
      const words = task.promptPreview.replace(/[^\p{L}\p{N} _-]+/gu, ' ').trim()
      const parts = [
        task.createdAt.slice(0, 10),
        words.replace(/\s+/g, ' ').slice(0, 60).trim(),
        task.taskId.slice(-8),
        index > 0 ? String(index + 1) : '',
      ]
      const ending = /\/([a-z0-9]+)/.exec(mimeType)?.[1] ?? 'bin'
      return { name: `${parts.filter(Boolean).join(' ')}.${ending}`, url, sizeBytes }
    }),
  )

/** An archive is made in memory, which has its limits. */
export const isTooMuch = (files: readonly MediaFile[]): boolean =>
  files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) > mostBytes
