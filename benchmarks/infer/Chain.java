/**
 * Twenty levels of calls, of which the first two matter for what is claimed: the others only move
 * noise about. Every second level calls the next one twice.
 */
class Chain {
    int balance;
    int noise;

    //@ requires amount >= 0 && amount < 1000 && balance >= 0 && balance < 1000;
    //@ ensures balance == \old(balance) + amount;
    void deposit(int amount) {
        level1(amount);
    }

    private void level1(int amount) {
        balance = balance + amount;
        level2(amount);
    }

    private void level2(int amount) {
        if (balance < 0) {
            balance = 0;
        }
        level3(amount * 31);
    }

    private void level3(int salt) {
        noise = noise * salt + 3;
        if ((noise & 8) != 0) {
            noise = noise + salt;
        }
        level4(salt * 7);
        level4(noise ^ salt);
    }

    private void level4(int salt) {
        noise = noise * salt + 4;
        if ((noise & 16) != 0) {
            noise = noise + salt;
        }
        level5(salt * 9);
    }

    private void level5(int salt) {
        noise = noise * salt + 5;
        if ((noise & 32) != 0) {
            noise = noise + salt;
        }
        level6(salt * 11);
        level6(noise ^ salt);
    }

    private void level6(int salt) {
        noise = noise * salt + 6;
        if ((noise & 64) != 0) {
            noise = noise + salt;
        }
        level7(salt * 13);
    }

    private void level7(int salt) {
        noise = noise * salt + 7;
        if ((noise & 1) != 0) {
            noise = noise + salt;
        }
        level8(salt * 15);
        level8(noise ^ salt);
    }

    private void level8(int salt) {
        noise = noise * salt + 8;
        if ((noise & 2) != 0) {
            noise = noise + salt;
        }
        level9(salt * 17);
    }

    private void level9(int salt) {
        noise = noise * salt + 9;
        if ((noise & 4) != 0) {
            noise = noise + salt;
        }
        level10(salt * 19);
        level10(noise ^ salt);
    }

    private void level10(int salt) {
        noise = noise * salt + 10;
        if ((noise & 8) != 0) {
            noise = noise + salt;
        }
        level11(salt * 21);
    }

    private void level11(int salt) {
        noise = noise * salt + 11;
        if ((noise & 16) != 0) {
            noise = noise + salt;
        }
        level12(salt * 23);
        level12(noise ^ salt);
    }

    private void level12(int salt) {
        noise = noise * salt + 12;
        if ((noise & 32) != 0) {
            noise = noise + salt;
        }
        level13(salt * 25);
    }

    private void level13(int salt) {
        noise = noise * salt + 13;
        if ((noise & 64) != 0) {
            noise = noise + salt;
        }
        level14(salt * 27);
        level14(noise ^ salt);
    }

    private void level14(int salt) {
        noise = noise * salt + 14;
        if ((noise & 1) != 0) {
            noise = noise + salt;
        }
        level15(salt * 29);
    }

    private void level15(int salt) {
        noise = noise * salt + 15;
        if ((noise & 2) != 0) {
            noise = noise + salt;
        }
        level16(salt * 31);
        level16(noise ^ salt);
    }

    private void level16(int salt) {
        noise = noise * salt + 16;
        if ((noise & 4) != 0) {
            noise = noise + salt;
        }
        level17(salt * 33);
    }

    private void level17(int salt) {
        noise = noise * salt + 17;
        if ((noise & 8) != 0) {
            noise = noise + salt;
        }
        level18(salt * 35);
        level18(noise ^ salt);
    }

    private void level18(int salt) {
        noise = noise * salt + 18;
        if ((noise & 16) != 0) {
            noise = noise + salt;
        }
        level19(salt * 37);
    }

    private void level19(int salt) {
        noise = noise * salt + 19;
        if ((noise & 32) != 0) {
            noise = noise + salt;
        }
        level20(salt * 39);
        level20(noise ^ salt);
    }

    private void level20(int salt) {
        noise = noise * (salt | 1);
        noise = noise ^ (noise >>> 7);
        noise = noise + salt * salt;
    }
}
