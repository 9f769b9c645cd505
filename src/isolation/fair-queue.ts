/** A queue that serves its owners round-robin, however many jobs one of them has waiting. */
export type FairQueue<Job extends { owner: string }> = {
  isEmpty(): boolean
  append(job: Job): void
  /** Inserts a job before all other jobs of its owner. */
  putBack(job: Job): void
  /**
   * The first job of the owner with the fewest running, so that an owner who has just come is not
   * behind one who already occupies every process. Owners with equally many take turns.
   */
  next(running: (owner: string) => number): Job | undefined
  removeAll(): Job[]
}

export function createFairQueue<Job extends { owner: string }>(): FairQueue<Job> {
  // Owners are served in the insertion order of the Map.
  const queues = new Map<string, Job[]>()
  const queueOf = (owner: string): Job[] => {
    const queue = queues.get(owner) ?? []
    queues.set(owner, queue)
    return queue
  }
  return {
    isEmpty: () => queues.size === 0,
    append: (job) => void queueOf(job.owner).push(job),
    putBack: (job) => void queueOf(job.owner).unshift(job),
    next(running) {
      let owner: string | undefined
      let fewest = Number.POSITIVE_INFINITY
      for (const name of queues.keys()) {
        const count = running(name)
        if (count >= fewest) continue
        owner = name
        fewest = count
        if (count === 0) break
      }
      if (owner === undefined) return undefined
      const queue = queueOf(owner)
      queues.delete(owner)
      const job = queue.shift()
      if (queue.length > 0) queues.set(owner, queue)
      return job
    },
    removeAll() {
      const jobs = [...queues.values()].flat()
      queues.clear()
      return jobs
    },
  }
}
