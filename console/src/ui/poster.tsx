import { Film } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { cx } from '#console/lib/cx.ts'
import { posterOf } from '#console/lib/film-poster.ts'

type PosterProps = { src: string; alt?: string; className?: string }

/** The first picture of a film once it comes into view, or the sign of a film. */
export function Poster({ src, alt = '', className }: PosterProps) {
  const box = useRef<HTMLSpanElement>(null)
  const [poster, setPoster] = useState<string | null>(null)
  useEffect(() => {
    let isShown = true
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      observer.disconnect()
      void posterOf(src).then((made) => isShown && setPoster(made))
    })
    if (box.current) observer.observe(box.current)
    return () => {
      isShown = false
      observer.disconnect()
    }
  }, [src])
  return poster ? (
    <img src={poster} alt={alt} className={className} />
  ) : (
    <span ref={box} className={cx('flex items-center justify-center text-soft', className)}>
      <Film size={20} {...(alt ? { role: 'img', 'aria-label': alt } : { 'aria-hidden': true })} />
    </span>
  )
}
