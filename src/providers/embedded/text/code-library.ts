// Functions known by heart. What stands between « and » is left out in JavaScript.

type Known = { words: RegExp; name: string; typescript: string; python: string }

export const library: readonly Known[] = [
  {
    words: /\bfibonacci\b/i,
    name: 'The nth Fibonacci number, counted from 0',
    typescript: `export function fibonacci(n«: number»)«: number» {
  let [a, b] = [0, 1]
  for (let i = 0; i < n; i++) [a, b] = [b, a + b]
  return a
}`,
    python: `def fibonacci(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a`,
  },
  {
    words: /\bfactorial\b/i,
    name: 'n!',
    typescript: `export function factorial(n«: number»)«: number» {
  let product = 1
  for (let i = 2; i <= n; i++) product *= i
  return product
}`,
    python: `def factorial(n: int) -> int:
    product = 1
    for i in range(2, n + 1):
        product *= i
    return product`,
  },
  {
    words: /\bprimes?\b/i,
    name: 'Whether a number is prime',
    typescript: `export function isPrime(n«: number»)«: boolean» {
  if (n < 2) return false
  for (let i = 2; i * i <= n; i++) if (n % i === 0) return false
  return true
}`,
    python: `def is_prime(n: int) -> bool:
    if n < 2:
        return False
    return all(n % i for i in range(2, int(n**0.5) + 1))`,
  },
  {
    words: /\bpalindromes?\b/i,
    name: 'Whether a text reads the same backwards',
    typescript: `export function isPalindrome(text«: string»)«: boolean» {
  const letters = [...text.toLowerCase()].filter((char) => /[\\p{L}\\p{N}]/u.test(char))
  return letters.join('') === letters.toReversed().join('')
}`,
    python: `def is_palindrome(text: str) -> bool:
    letters = [char for char in text.lower() if char.isalnum()]
    return letters == letters[::-1]`,
  },
  {
    words: /\brevers\w{0,4}\b.{0,30}\b(?:string|text|word)|\b(?:string|text)\b.{0,20}\brevers/i,
    name: 'A text backwards',
    typescript: `export function reverse(text«: string»)«: string» {
  return [...text].toReversed().join('')
}`,
    python: `def reverse(text: str) -> str:
    return text[::-1]`,
  },
  {
    words: /\bfizz ?buzz\b/i,
    name: 'FizzBuzz up to n',
    typescript: `export function fizzBuzz(n«: number»)«: string[]» {
  return Array.from({ length: n }, (_, i) => {
    const number = i + 1
    const word = (number % 3 === 0 ? 'Fizz' : '') + (number % 5 === 0 ? 'Buzz' : '')
    return word || String(number)
  })
}`,
    python: `def fizz_buzz(n: int) -> list[str]:
    def word(i: int) -> str:
        return ("Fizz" * (i % 3 == 0) + "Buzz" * (i % 5 == 0)) or str(i)

    return [word(i) for i in range(1, n + 1)]`,
  },
  {
    words: /\bbinary search\b/i,
    name: 'The index of a value in a sorted list, or -1',
    typescript: `export function binarySearch(sorted«: readonly number[]», value«: number»)«: number» {
  let low = 0
  let high = sorted.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const found = sorted[middle]«!»
    if (found === value) return middle
    if (found < value) low = middle + 1
    else high = middle - 1
  }
  return -1
}`,
    python: `from bisect import bisect_left


def binary_search(sorted_items: list[int], value: int) -> int:
    place = bisect_left(sorted_items, value)
    found = place < len(sorted_items) and sorted_items[place] == value
    return place if found else -1`,
  },
  {
    words: /\b(?:merge|quick|bubble)? ?sort(?:s|ing)?\b/i,
    name: 'A sorted copy of a list (merge sort)',
    typescript: `export function mergeSort(items«: readonly number[]»)«: number[]» {
  if (items.length < 2) return [...items]
  const middle = items.length >>> 1
  const left = mergeSort(items.slice(0, middle))
  const right = mergeSort(items.slice(middle))
  const merged«: number[]» = []
  while (left.length > 0 && right.length > 0) {
    merged.push((left[0]«!» <= right[0]«!» ? left.shift() : right.shift())«!»)
  }
  return [...merged, ...left, ...right]
}`,
    python: `def merge_sort(items: list[int]) -> list[int]:
    if len(items) < 2:
        return items[:]
    middle = len(items) // 2
    left, right = merge_sort(items[:middle]), merge_sort(items[middle:])
    merged = []
    while left and right:
        merged.append((left if left[0] <= right[0] else right).pop(0))
    return merged + left + right`,
  },
  {
    words: /\bdebounce\b/i,
    name: 'Calls a function once its calls have paused',
    typescript: `export function debounce«<A extends unknown[]>»(call«: (...args: A) => void», waitMs«: number») {
  let timer«: ReturnType<typeof setTimeout> | undefined»
  return (...args«: A») => {
    clearTimeout(timer)
    timer = setTimeout(() => call(...args), waitMs)
  }
}`,
    python: `import threading


def debounce(call, wait_seconds: float):
    timer = None

    def later(*args):
        nonlocal timer
        if timer:
            timer.cancel()
        timer = threading.Timer(wait_seconds, call, args)
        timer.start()

    return later`,
  },
  {
    words: /\bgroup(?:s|ed|ing)?[ -]?by\b/i,
    name: 'The items of a list by a key of theirs',
    typescript: `export function groupBy«<T, K>»(items«: readonly T[]», keyOf«: (item: T) => K»)«: Map<K, T[]>» {
  return Map.groupBy(items, keyOf)
}`,
    python: `from collections import defaultdict


def group_by(items, key_of):
    groups = defaultdict(list)
    for item in items:
        groups[key_of(item)].append(item)
    return dict(groups)`,
  },
  {
    words: /\b(?:unique|dedup\w*|remove duplicates)\b/i,
    name: 'A list without repetitions, in its order',
    typescript: `export function unique«<T>»(items«: readonly T[]»)«: T[]» {
  return [...new Set(items)]
}`,
    python: `def unique(items: list) -> list:
    return list(dict.fromkeys(items))`,
  },
  {
    words: /\bslug(?:ify|s)?\b/i,
    name: 'A text as part of an address',
    typescript: `export function slugify(text«: string»)«: string» {
  const plain = text.normalize('NFKD').replace(/\\p{M}/gu, '').toLowerCase()
  return (plain.match(/[a-z0-9]+/g) ?? []).join('-')
}`,
    python: `import re
import unicodedata


def slugify(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return "-".join(re.findall(r"[a-z0-9]+", plain.lower()))`,
  },
  {
    words: /\bword (?:count|frequenc)|\bcount(?:s|ing)? (?:the )?words\b/i,
    name: 'How often each word occurs',
    typescript: `export function countWords(text«: string»)«: Map<string, number>» {
  const counts = new Map«<string, number>»()
  for (const word of text.toLowerCase().match(/[\\p{L}\\p{N}']+/gu) ?? []) {
    counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return counts
}`,
    python: `import re
from collections import Counter


def count_words(text: str) -> Counter[str]:
    return Counter(re.findall(r"[\\w']+", text.lower()))`,
  },
  {
    words: /\b(?:fetch|http|request|download)\b/i,
    name: 'JSON from an address, with a time limit',
    typescript: `export async function fetchJson(url«: string», timeoutMs = 10_000)«: Promise<unknown>» {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
  if (!response.ok) throw new Error(\`\${url} answered with \${response.status}\`)
  return response.json()
}`,
    python: `import json
from urllib.request import urlopen


def fetch_json(url: str, timeout_seconds: float = 10):
    with urlopen(url, timeout=timeout_seconds) as response:
        return json.load(response)`,
  },
  {
    words: /\b(?:sum|add|average|mean)\b/i,
    name: 'Sum and average of a list',
    typescript: `export const sum = (numbers«: readonly number[]»)«: number» =>
  numbers.reduce((total, number) => total + number, 0)

export const average = (numbers«: readonly number[]»)«: number» =>
  numbers.length === 0 ? 0 : sum(numbers) / numbers.length`,
    python: `from statistics import fmean


def average(numbers: list[float]) -> float:
    return fmean(numbers) if numbers else 0.0`,
  },
]
