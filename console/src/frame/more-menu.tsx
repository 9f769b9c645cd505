import { useNavigate } from '@tanstack/react-router'
import { BookOpen, Ellipsis } from 'lucide-react'
import { Menu } from '#console/ui/menu.tsx'
import { sections } from './sections.ts'

/** What does not fit into the bar at the foot of a phone. */
export function MoreMenu({ className }: { className: string }) {
  const navigate = useNavigate()
  return (
    <Menu
      side="top"
      trigger={
        <button type="button" className={className}>
          <Ellipsis size={18} aria-hidden />
          <span className="text-xs">More</span>
        </button>
      }
      items={[
        ...sections
          .filter(({ isSecond }) => isSecond)
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
