import { CircleAlert } from 'lucide-react'

export function FieldProblem({ id, text }: { id?: string; text: string }) {
  return (
    <p id={id} className="flex items-start gap-1 text-bad text-xs">
      <CircleAlert size={14} className="mt-px shrink-0" aria-hidden />
      {text}
    </p>
  )
}
