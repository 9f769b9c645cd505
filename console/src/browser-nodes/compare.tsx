import { useState } from 'react'

type CompareProps = { first: string; second: string }

/** Two pictures on top of each other: a slider between them, or their difference. */
export function Compare({ first, second }: CompareProps) {
  const [mode, setMode] = useState<'slider' | 'difference'>('slider')
  const [share, setShare] = useState(50)
  return (
    <div className="flex h-full flex-col gap-2">
      <div className="relative min-h-0 grow overflow-hidden rounded-sm bg-sunken">
        <img src={first} alt="First" className="absolute inset-0 size-full object-contain" />
        <img
          src={second}
          alt="Second"
          className="absolute inset-0 size-full object-contain"
          style={
            mode === 'slider'
              ? { clipPath: `inset(0 0 0 ${share}%)` }
              : { mixBlendMode: 'difference' }
          }
        />
      </div>
      <div className="flex items-center gap-2 text-xs">
        <input
          type="range"
          aria-label="Between the two pictures"
          min={0}
          max={100}
          value={share}
          disabled={mode === 'difference'}
          onChange={(event) => setShare(event.currentTarget.valueAsNumber)}
          className="w-10 min-w-0 grow accent-accent"
        />
        <label className="flex items-center gap-1">
          <input
            type="checkbox"
            checked={mode === 'difference'}
            onChange={(event) => setMode(event.currentTarget.checked ? 'difference' : 'slider')}
            className="accent-accent"
          />
          Difference
        </label>
      </div>
    </div>
  )
}
