import { CircleCheck, CloudCheck, CloudOff, LoaderCircle, TriangleAlert } from 'lucide-react'
import { useBase, useCanvas, useView } from './context.ts'

/** Says where the work is stored at the moment. */
export function SaveState() {
  const { version } = useBase()
  const isSaved = useCanvas((state) => state.history.doc === state.saved)
  const draft = useView((state) => state.draft)
  const { Icon, text, className } = isSaved
    ? { Icon: CircleCheck, text: `Saved as version ${version}`, className: 'text-soft' }
    : looks[draft]
  return (
    <span className={`flex items-center gap-1.5 whitespace-nowrap text-sm ${className}`}>
      <Icon size={14} aria-hidden />
      <span>{text}</span>
    </span>
  )
}

const looks = {
  none: { Icon: CloudCheck, text: 'New draft', className: 'text-soft' },
  waiting: { Icon: LoaderCircle, text: 'Saving draft…', className: 'text-soft' },
  kept: { Icon: CloudCheck, text: 'Draft saved', className: 'text-soft' },
  'kept here': { Icon: CloudOff, text: 'Draft saved in this browser', className: 'text-warn' },
  lost: {
    Icon: TriangleAlert,
    text: 'Draft not saved: save a version or export now',
    className: 'text-bad',
  },
}
