import { useNavigate } from '@tanstack/react-router'
import { BookOpen, Ellipsis } from 'lucide-react'
import { useMay } from '#console/api/session.ts'
import { LazyMenu } from '#console/ui/lazy-menu.tsx'
import { sections } from './sections.ts'

/** What does not fit into the bar at the foot of a phone. */
export function MoreMenu({ className }: { className: string }) {
  const navigate = useNavigate()
  const mayEdit = useMay('editor')
  return (
    <LazyMenu
      side="top"
      trigger={
        <button type="button" className={className}>
          <Ellipsis size={18} aria-hidden />
          <span className="text-xs">More</span>
        </button>
      }
      items={[
        ...sections
          .filter(({ isSecond, needs }) => isSecond && (mayEdit || !needs))
          .map(({ to, label, Icon }) => ({
            label,
            icon: <Icon size={16} aria-hidden />,
            onSelect: () => void navigate({ to }),
          })),
        {
          label: 'API reference',
          icon: <BookOpen size={16} aria-hidden />,
          onSelect: () => location.assign('/docs'),
        },
      ]}
    />
  )
}
