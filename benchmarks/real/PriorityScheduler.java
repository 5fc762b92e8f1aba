package real;

import java.util.Arrays;

/**
 * Jobs by priority, the smallest number first. A binary heap in an array; each job knows its place in
 * it, so that it can be cancelled or moved without a search.
 */
public class PriorityScheduler {
    /** A job; its place is -1 when it is not waiting. */
    public static final class Job {
        private final String name;
        private int priority;
        private int place = -1;

        public Job(String name, int priority) {
            if (name == null) {
                throw new IllegalArgumentException("no name");
            }
            this.name = name;
            this.priority = priority;
        }

        public String name() {
            return name;
        }

        public int priority() {
            return priority;
        }

        public boolean isWaiting() {
            return place >= 0;
        }
    }

    private Job[] heap;
    private int size;

    public PriorityScheduler(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity: " + capacity);
        }
        heap = new Job[capacity];
    }

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** Takes in a job that waits nowhere. */
    public void submit(Job job) {
        if (job.place >= 0) {
            throw new IllegalStateException("waits already: " + job.name);
        }
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, size * 2);
        }
        put(job, size);
        size++;
        up(job);
    }

    /** The job that is next, null if there is none. */
    public Job peek() {
        return size == 0 ? null : heap[0];
    }

    /** Takes out the job that is next; null if there is none. */
    public Job poll() {
        if (size == 0) {
            return null;
        }
        Job first = heap[0];
        remove(first);
        return first;
    }

    /** Takes a job out, wherever it is; tells whether it was waiting here. */
    public boolean cancel(Job job) {
        if (!holds(job)) {
            return false;
        }
        remove(job);
        return true;
    }

    /** Changes the priority of a job that waits here. */
    public void reschedule(Job job, int priority) {
        if (!holds(job)) {
            throw new IllegalArgumentException("does not wait here: " + job.name);
        }
        job.priority = priority;
        up(job);
        down(job);
    }

    /** Takes out all jobs, the next one first. */
    public Job[] drain() {
        Job[] all = new Job[size];
        for (int i = 0; i < all.length; i++) {
            all[i] = poll();
        }
        return all;
    }

    private boolean holds(Job job) {
        return job.place >= 0 && job.place < size && heap[job.place] == job;
    }

    private void remove(Job job) {
        int hole = job.place;
        size--;
        Job last = heap[size];
        heap[size] = null;
        job.place = -1;
        if (last != job) {
            //bug1? an index left behind after a removal
            //bug1+ heap[hole] = last;
            put(last, hole); //bug1-
            up(last);
            down(last);
        }
    }

    private void up(Job job) {
        while (job.place > 0) { //fails1
            Job parent = heap[(job.place - 1) / 2]; //fails1
            if (parent.priority <= job.priority) { //fails1
                break;
            }
            int place = parent.place; //fails1
            put(parent, job.place); //fails1
            put(job, place); //fails1
        } //fails1
    }

    private void down(Job job) {
        while (2 * job.place + 1 < size) {
            int child = 2 * job.place + 1;
            //bug2? a second child that is not there
            //bug2+ if (heap[child + 1].priority < heap[child].priority) { //fails2
            if (child + 1 < size && heap[child + 1].priority < heap[child].priority) { //bug2-
                child++;
            }
            Job smaller = heap[child];
            if (job.priority <= smaller.priority) {
                break;
            }
            put(smaller, job.place);
            put(job, child);
        }
    }

    private void put(Job job, int place) {
        heap[place] = job; //fails1
        job.place = place; //fails1
    } //fails1
}
