import { type ClipboardEvent, type DragEvent, useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { uploadMedia } from '#console/api/upload-media.ts'
import { acceptsType } from '#console/ui/file-types.ts'

type Options = {
  /** Of the models, to say which one takes no pictures. */
  names: readonly string[]
  isAllowed: boolean
  onAdded(urls: readonly string[]): void
}

/** Pictures that are dropped or pasted anywhere in the conversation. */
export function useAttachments({ names, isAllowed, onAdded }: Options) {
  const [problem, setProblem] = useState<string | null>(null)
  const [uploading, setUploading] = useState(0)
  const [isOver, setOver] = useState(false)

  async function add(files: readonly File[]) {
    setProblem(null)
    const pictures = files.filter((file) => acceptsType('image/*', file))
    if (!isAllowed)
      return setProblem(`${names.join(' and ')} cannot see pictures. Choose another model.`)
    if (pictures.length < files.length)
      setProblem(`${files.find((file) => !pictures.includes(file))?.name} is not a picture.`)
    setUploading((count) => count + pictures.length)
    const uploaded = await Promise.allSettled(pictures.map(uploadMedia))
    setUploading((count) => count - pictures.length)
    const urls = uploaded.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const failed = uploaded.find((one) => one.status === 'rejected')
    if (failed) setProblem(toApiFailure(failed.reason).message)
    if (urls.length > 0) onAdded(urls)
  }

  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files')
  return {
    problem,
    isUploading: uploading > 0,
    isOver,
    onPaste(event: ClipboardEvent) {
      const files = [...event.clipboardData.files]
      if (files.length === 0) return
      event.preventDefault()
      void add(files)
    },
    dropProps: {
      onDragOver(event: DragEvent) {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(true)
      },
      onDragLeave: () => setOver(false),
      onDrop(event: DragEvent) {
        setOver(false)
        if (event.defaultPrevented || !hasFiles(event)) return
        event.preventDefault()
        void add([...event.dataTransfer.files])
      },
    },
  }
}

export type Attachments = ReturnType<typeof useAttachments>
