import { Lock } from 'lucide-react'
import { Empty } from './empty.tsx'

/** Which right is missing, and who can grant it. */
export function NoRight({ missing }: { missing: string }) {
  return (
    <Empty icon={<Lock size={24} aria-hidden />} title="You do not have access">
      {missing}
    </Empty>
  )
}
