import { useEffect, useState } from 'react'

/** True once `isWaiting` has lasted a while, so that quick answers show no skeleton. */
export function useDelayed(isWaiting: boolean, delayMs = 150): boolean {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    if (!isWaiting) return setLong(false)
    const timer = setTimeout(() => setLong(true), delayMs)
    return () => clearTimeout(timer)
  }, [isWaiting, delayMs])
  return isWaiting && isLong
}
