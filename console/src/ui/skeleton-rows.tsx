import { Skeleton } from './skeleton.tsx'

/** Stands for a table or list that is still loading. */
export function SkeletonRows({ rows = 5 }: { rows?: number }) {
  return (
    <div className="flex flex-col gap-3 py-2">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <div key={row} className="flex items-center gap-4">
          <Skeleton className="h-5 w-1/3" />
          <Skeleton className="h-5 w-1/5" />
          <Skeleton className="h-5 grow" />
        </div>
      ))}
    </div>
  )
}
