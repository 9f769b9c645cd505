import { Slider as Base } from '@base-ui/react/slider'

type SliderProps = {
  'aria-label': string
  value: number
  min: number
  max: number
  step?: number
  onChange(value: number): void
  /** The number as people read it, "0.7" or "5 s". */
  format?(value: number): string
  disabled?: boolean
}

export function Slider({ value, onChange, format = String, step = 1, ...rest }: SliderProps) {
  return (
    <Base.Root
      {...rest}
      step={step}
      value={value}
      onValueChange={(next) => onChange(next as number)}
      className="flex items-center gap-3"
    >
      <Base.Control className="flex h-8 grow touch-none select-none items-center pointer-coarse:h-11">
        <Base.Track className="h-1 w-full rounded-sm bg-line">
          <Base.Indicator className="rounded-sm bg-accent" />
          <Base.Thumb
            aria-label={rest['aria-label']}
            className="size-4 rounded-full border-2 border-accent bg-card has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2"
          />
        </Base.Track>
      </Base.Control>
      <span className="min-w-10 text-right text-sm">{format(value)}</span>
    </Base.Root>
  )
}
