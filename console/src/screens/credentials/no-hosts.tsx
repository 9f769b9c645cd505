import { TriangleAlert } from 'lucide-react'

/** For credentials stored when hosts were optional. */
export const NoHosts = () => (
  <span className="flex items-center gap-1 text-warn">
    <TriangleAlert size={16} className="shrink-0" aria-hidden />
    Nowhere: replace it and name its hosts
  </span>
)
