// What a bot in C++ may use in a sandbox.
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <future>
#include <pthread.h>
#include <sys/time.h>
#include <vector>

int main() {
    std::vector<std::future<int>> parts;
    for (int number = 0; number < 30; number++) {
        parts.push_back(std::async(std::launch::async, [number] { return number; }));
    }
    int sum = 0;
    for (auto &part : parts) {
        sum += part.get();
    }
#pragma omp parallel for reduction(+ : sum)
    for (int number = 0; number < 100000; number++) {
        sum += number % 2;
    }
    timer_t timer;
    itimerval interval{};
    cpu_set_t cores;
    bool is_right = sum == 50435;
    is_right &= timer_create(CLOCK_MONOTONIC, nullptr, &timer) == 0;
    is_right &= setitimer(ITIMER_REAL, &interval, nullptr) == 0;
    is_right &= pthread_getaffinity_np(pthread_self(), sizeof cores, &cores) == 0;
    is_right &= pthread_setaffinity_np(pthread_self(), sizeof cores, &cores) == 0;
    std::ofstream(std::string(std::getenv("TMPDIR")) + "/a") << "text";
    return is_right ? 0 : 1;
}
