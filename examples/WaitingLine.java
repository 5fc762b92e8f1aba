/** People who wait in line, as a linked list. Specified in the style of Alloy. */
public class WaitingLine {
    static class Person {
        Person behind;
    }

    Person first;
    Person last;

    //$ invariant no p: this.first.*behind | p in p.^behind
    //$ invariant this.last = {p: this.first.*behind | no p.behind}

    //$ requires person !in this.first.*behind && no person.behind
    //$ ensures this.first'.*behind' = this.first.*behind + person
    //$ ensures this.last' = person
    void join(Person person) {
        if (last == null) {
            first = person;
        } else {
            last.behind = person;
        }
        last = person;
    }

    //$ ensures result = this.first
    //$ ensures this.first'.*behind' = this.first.*behind - this.first
    Person serve() {
        Person served = first;
        if (served != null) {
            first = served.behind;
        }
        return served;
    }

    //$ ensures result = #this.first.*behind
    int length() {
        int length = 0;
        for (Person p = first; p != null; p = p.behind) {
            length++;
        }
        return length;
    }
}
