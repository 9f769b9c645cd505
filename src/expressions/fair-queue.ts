/** A queue that serves its owners round-robin, however many jobs one of them has waiting. */
export type FairQueue<Job extends { owner: string }> = {
  isEmpty(): boolean
  append(job: Job): void
  /** Inserts jobs, in the given order, before all other jobs of their owners. */
  putBack(jobs: readonly Job[]): void
  /** The first job of the next owner. */
  next(): Job | undefined
  /** Moves an owner behind all others. */
  serveLast(owner: string): void
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
    putBack(jobs) {
      for (const job of jobs.toReversed()) queueOf(job.owner).unshift(job)
    },
    next() {
      for (const [owner, queue] of queues) {
        queues.delete(owner)
        const job = queue.shift()
        if (queue.length > 0) queues.set(owner, queue)
        return job
      }
      return undefined
    },
    serveLast(owner) {
      const queue = queues.get(owner)
      if (queue && queues.delete(owner)) queues.set(owner, queue)
    },
    removeAll() {
      const jobs = [...queues.values()].flat()
      queues.clear()
      return jobs
    },
  }
}
