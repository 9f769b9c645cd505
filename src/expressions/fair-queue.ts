/** A queue of jobs in which owners alternate, however many jobs one of them has waiting. */
export type FairQueue<Job extends { owner: string }> = {
  isEmpty(): boolean
  append(job: Job): void
  /** Before everything else of their owners, in the order given. */
  putBack(jobs: readonly Job[]): void
  /** The first job of the owner whose turn it is. */
  next(): Job | undefined
  /** Lets every other owner go first. */
  serveLast(owner: string): void
  removeAll(): Job[]
}

export function createFairQueue<Job extends { owner: string }>(): FairQueue<Job> {
  // A Map keeps its keys in the order they were set: that is the order in which owners are served.
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
